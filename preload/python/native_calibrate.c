/* SPDX-License-Identifier: Apache-2.0
 *
 * A function of ours that does nothing is called through its own slot and through ours, in turns. What ours writes goes into a block of
 * memory that is no thread's.
 */
#define _GNU_SOURCE
#include "preload/python/native_calibrate.h"

#include "preload/python/native_slots.h"
#include "preload/python/python.h"
#include "preload/writer/arm.h"
#include "preload/writer/calibrate.h"
#include "preload/writer/chunk.h"
#include "preload/writer/clock.h"

#include <sys/mman.h>

static void *nothing(void *self, void *argument)
{
    return argument;
}

static uint64_t one_round(native_vectorcall *call, void *function)
{
    uint64_t begin = ovh_tick();
    for (int i = 0; i < OVH_CALIBRATE_PER_ROUND; i++)
        call(function, &function, 1, 0);
    return ovh_tick() - begin;
}

/* The block says that it is in a frame: nothing is looked for below. */
static void measure(struct ovh_thread *t, void *function, native_vectorcall *real, native_vectorcall *ours)
{
    uint64_t ticks[OVH_CALIBRATE_ROUNDS];
    struct ovh_thread *self = ovh_self;
    t->frame = (const char *)t;
    t->frames_era = ovh_frames_era;
    for (int i = 0; i < OVH_CALIBRATE_ROUNDS; i++) {
        ovh_chunk_scratch(t);
        uint64_t bare = one_round(real, function);
        ovh_self = t;
        t->last = ovh_tick();
        uint64_t with = one_round(ours, function);
        ovh_self = self;
        ticks[i] = with > bare ? with - bare : 0;
    }
    ovh_calibration(OVH_PROBE_SLOT, ticks);
}

void native_calibrate(void)
{
    static struct native_method method = {"nothing", nothing, METHOD_O, 0};
    struct ovh_thread *t = mmap(0, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *function = ovh_py.c_function(&method, 0, 0);
    if (t != MAP_FAILED && function) {
        native_vectorcall **slot = (native_vectorcall **)(void *)((char *)function + FUNCTION_VECTORCALL), *real = *slot;
        native_slot_add(function, FUNCTION_VECTORCALL, FUNCTION_METHOD, 0);
        uint32_t armed = ovh_armed & OVH_ARM_NATIVE;
        native_slots_arm();
        ovh_arm(OVH_ARM_NATIVE);
        if (*slot != real && ovh_armed & OVH_ARM_NATIVE)
            measure(t, function, real, *slot);
        if (!armed) {
            ovh_disarm(OVH_ARM_NATIVE);
            native_slots_disarm();
        }
    }
    if (function)
        ovh_py.decref(function);
    if (t != MAP_FAILED)
        munmap(t, sizeof *t);
}
