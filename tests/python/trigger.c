/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for the CUDA wrappers: a function that does what every wrapper does, as cudaGetDevice. Linked with preload/writer and
 * preload/python into one library, which the tests preload into a CPython and call through ctypes.
 */
#define _GNU_SOURCE
#include "ovh/hooks.h"
#include "preload/python/levels.h"
#include "preload/python/python.h"
#include "preload/writer/ladder.h"
#include "preload/writer/record.h"

#include <dlfcn.h>
#include <errno.h>
#include "preload/cuda/blind.h"

/* preload/cuda/ is not in this library. */
void ovh_blind_tell(void)
{
}


__attribute__((visibility("default"))) int trigger(void);
__attribute__((visibility("default"))) int trigger_many(int n);
__attribute__((visibility("default"))) int trigger_launch(int what);
__attribute__((visibility("default"))) int trigger_frames_off(void);
__attribute__((visibility("default"))) int trigger_frames_on(void);
__attribute__((visibility("default"))) int trigger_level(int level);
__attribute__((visibility("default"))) void *trigger_other_evaluator(void *, void *, int);

static uint32_t begin(struct ovh_thread *t)
{
    ovh_python_at_call(t);
    uint32_t depth = ovh_enter(t, OVH_STEP_OF_HOOK(OVH_HOOK_cudaGetDevice));
    ovh_end(t);
    return depth;
}

/* Returns 0, or 1 where errno was changed. */
int trigger(void)
{
    errno = 77;
    struct ovh_thread *t = ovh_begin(OVH_ARM_CALL);
    if (!t)
        return 0;
    if (!ovh_python_started)
        ovh_python_start();
    uint32_t depth = begin(t);
    ovh_resume(t);
    ovh_leave(t, depth, false);
    ovh_end(t);
    return errno != 77;
}

/* A launch, as ovh_put_launch tells of it. */
int trigger_launch(int what)
{
    struct ovh_thread *t = ovh_begin(OVH_ARM_LAUNCH);
    if (!t)
        return 0;
    if (!ovh_python_started)
        ovh_python_start();
    ovh_python_at_call(t);
    uint32_t depth = ovh_enter(t, OVH_STEP_OF_HOOK(OVH_HOOK_cuLaunchKernel));
    ovh_ladder_launch(t, (uint32_t)what);
    ovh_leave(t, depth, false);
    ovh_end(t);
    return 0;
}

/* For the benchmark: so many hooked calls from one place. */
int trigger_many(int n)
{
    while (n-- > 0)
        trigger();
    return 0;
}

/* Recording of frames ends, and begins again (attached threads only). */
int trigger_frames_off(void)
{
    python_levels_set(1);
    return 0;
}

int trigger_frames_on(void)
{
    python_levels_set(2);
    return 0;
}

/* Recording of Python becomes that of a level: returns the one reached. */
int trigger_level(int level)
{
    return (int)python_levels_set((uint32_t)level);
}

/* A frame evaluator of somebody else's. */
void *trigger_other_evaluator(void *tstate, void *frame, int throwflag)
{
    union {
        void *address;
        void *(*call)(void *, void *, int);
    } evaluate = {dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault")};
    return evaluate.call(tstate, frame, throwflag);
}
