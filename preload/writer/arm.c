/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/arm.h"

#include "preload/writer/record.h"

/* CUDA hooks are armed from the first instruction on: they may run before our constructor. What opens the trace is the first of them. */
uint32_t ovh_armed = OVH_ARM_CUDA;
static uint32_t never;
static uint32_t windows;

void ovh_arm(uint32_t what)
{
    if (!__atomic_load_n(&never, __ATOMIC_RELAXED))
        __atomic_or_fetch(&ovh_armed, what, __ATOMIC_RELEASE);
}

void ovh_disarm(uint32_t what)
{
    __atomic_and_fetch(&ovh_armed, ~what, __ATOMIC_RELEASE);
}

void ovh_arm_never(void)
{
    __atomic_store_n(&never, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&ovh_armed, 0, __ATOMIC_RELEASE);
}

void ovh_window_begin(struct ovh_thread *t, uint32_t level, enum ovh_window_reason reason)
{
    uint32_t number = __atomic_add_fetch(&windows, 1, __ATOMIC_RELAXED), words = 4;
    uint32_t *w = ovh_put(t, words);
    w[1] = number;
    ovh_put_64(w + 2, ovh_tick());
    w[4] = reason;
    ovh_put_done(w, OVH_R_WINDOW, words, level);
}
