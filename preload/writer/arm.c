/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/arm.h"

#include "preload/writer/lock.h"
#include "preload/writer/record.h"
#include "preload/writer/settings.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#if defined(__x86_64__)
enum { PAGE = 4096 };
#else
enum { PAGE = 65536 }; /* the largest that there is */
#endif

/* CUDA hooks are armed from the first instruction on: they may run before our constructor. What opens the trace is the first of them.
 * The word has a page to itself: ovh_arm_not_in_copies(). */
static uint32_t armed_page[PAGE / sizeof(uint32_t)] __attribute__((aligned(PAGE))) = {OVH_ARM_CUDA};
extern uint32_t ovh_armed __attribute__((alias("armed_page")));
static uint32_t never, before_fork;
static bool copies_are_disarmed;

/* The open window. */
static struct {
    struct ovh_lock lock;
    uint32_t number;
    uint64_t tick;
    struct ovh_window is;
} open;

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

bool ovh_arm_not_in_copies(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (copies_are_disarmed || page > PAGE)
        return copies_are_disarmed;
    uint32_t *wiped = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (wiped == MAP_FAILED)
        return false;
    memcpy(wiped, armed_page, PAGE);
    copies_are_disarmed = madvise(wiped, PAGE, MADV_WIPEONFORK) == 0 &&
                          mremap(wiped, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, armed_page) == armed_page;
    if (!copies_are_disarmed)
        munmap(wiped, PAGE);
    return copies_are_disarmed;
}

void ovh_arm_before_fork(void)
{
    before_fork = ovh_armed;
}

void ovh_arm_after_fork(void)
{
    __atomic_store_n(&ovh_armed, before_fork, __ATOMIC_RELEASE);
}

void ovh_arm_calls(uint32_t level)
{
    uint32_t above = OVH_ARM_CALL | (ovh_setting_on(OVH_SETTING_NESTED_QUERIES) ? (uint32_t)OVH_ARM_NESTED : 0u);
    if (!level)
        ovh_disarm(OVH_ARM_CALL | OVH_ARM_NESTED);
    ovh_arm(OVH_ARM_LAUNCH | (level ? above : 0));
}

void ovh_window_begin(const struct ovh_window *w)
{
    uint32_t was_busy = ovh_lock_take(&open.lock);
    open.number++;
    open.is = *w;
    open.tick = ovh_tick();
    ovh_lock_drop(&open.lock, was_busy);
}

void ovh_window_end(uint64_t tick)
{
    uint32_t was_busy = ovh_lock_take(&open.lock);
    open.is.level = OVH_WINDOW_STOPS;
    open.is.reason = OVH_WINDOW_ASKED;
    open.tick = tick;
    ovh_lock_drop(&open.lock, was_busy);
}

void ovh_window_write(struct ovh_thread *t)
{
    uint32_t was_busy = ovh_lock_take(&open.lock), number = open.number;
    uint64_t tick = open.tick;
    struct ovh_window is = open.is;
    ovh_lock_drop(&open.lock, was_busy);
    uint32_t *w = ovh_put(t, 6);
    w[1] = number;
    ovh_put_64(w + 2, tick);
    w[4] = is.reason;
    w[5] = is.settle;
    w[6] = is.period;
    ovh_put_done(w, OVH_R_WINDOW, 6, is.level);
}

uint32_t ovh_window_level(void)
{
    return __atomic_load_n(&open.is.level, __ATOMIC_RELAXED);
}

void ovh_window_forked(void)
{
    open.lock = (struct ovh_lock){0};
    open.number = 0;
}
