/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/arm.h"

#include "preload/writer/record.h"

/* CUDA hooks are armed from the first instruction on: they may run before our constructor. What opens the trace is the first of them. */
uint32_t ovh_armed = OVH_ARM_CUDA;
static uint32_t never;

/* The open window. Written while the trace is being opened only, before any thread records: one window for now. */
static struct {
    uint32_t number, level, reason;
    uint64_t tick;
} window;

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

void ovh_window_begin(uint32_t level, enum ovh_window_reason reason)
{
    window.number++;
    window.level = level;
    window.reason = reason;
    window.tick = ovh_tick();
}

void ovh_window_write(struct ovh_thread *t)
{
    uint32_t *w = ovh_put(t, 4);
    w[1] = window.number;
    ovh_put_64(w + 2, window.tick);
    w[4] = window.reason;
    ovh_put_done(w, OVH_R_WINDOW, 4, window.level);
}
