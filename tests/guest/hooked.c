/* SPDX-License-Identifier: Apache-2.0
 *
 * Three hooks by hand, in the order that every wrapper follows, so that these tests look at preload/writer alone.
 */
#define _GNU_SOURCE
#include "ovh/hooks.h"
#include "preload/writer/record.h"
#include "tests/guest/cudart.h"
#include <dlfcn.h>

#include "preload/cuda/blind.h"

/* preload/cuda/ is not in this library. */
void ovh_blind_tell(void)
{
}

#define EXPORT __attribute__((visibility("default")))

static void *real(void **kept, const char *name)
{
    if (!*kept)
        *kept = dlsym(RTLD_NEXT, name);
    return *kept;
}

static struct ovh_thread *begin(uint32_t step, uint32_t *depth)
{
    struct ovh_thread *t = ovh_begin(OVH_ARM_CUDA);
    if (t) {
        *depth = ovh_enter(t, step);
        ovh_end(t);
    }
    return t;
}

static void end(struct ovh_thread *t, uint32_t depth, int result)
{
    if (!t)
        return;
    ovh_resume(t);
    ovh_leave(t, depth, result != 0);
    ovh_end(t);
}

EXPORT int cudaGetDevice(int *device)
{
    static void *kept;
    uint32_t depth = 0;
    int (*call)(int *) = (int (*)(int *))real(&kept, "cudaGetDevice");
    struct ovh_thread *t = begin(OVH_STEP_OF_HOOK(OVH_HOOK_cudaGetDevice), &depth);
    int result = call(device);
    end(t, depth, result);
    return result;
}

EXPORT int cudaDeviceSynchronize(void)
{
    static void *kept;
    uint32_t depth = 0;
    int (*call)(void) = (int (*)(void))real(&kept, "cudaDeviceSynchronize");
    struct ovh_thread *t = begin(OVH_STEP_OF_HOOK(OVH_HOOK_cudaDeviceSynchronize), &depth);
    int result = call();
    end(t, depth, result);
    return result;
}

EXPORT int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    static void *kept;
    uint32_t depth = 0;
    int (*call)(void *, void (*)(void *), void *) = (int (*)(void *, void (*)(void *), void *))real(&kept, "cudaLaunchHostFunc");
    struct ovh_thread *t = begin(OVH_STEP_OF_HOOK(OVH_HOOK_cudaLaunchHostFunc), &depth);
    int result = call(stream, function, data);
    end(t, depth, result);
    return result;
}
