/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/recording.h"

#include "preload/writer/arm.h"
#include "preload/writer/lock.h"
#include "preload/writer/own_thread.h"
#include "preload/writer/process.h"
#include "preload/writer/settings.h"
#include "preload/writer/stop.h"
#include "preload/writer/units.h"

#include <sys/prctl.h>
#include <time.h>

#define SECOND 1000000000ull
#define MILLISECOND 1000000ull

/* ns of CLOCK_MONOTONIC, 0: none */
static struct {
    uint64_t loaded; /* the library was */
    uint64_t end;    /* no recording from then on */
    uint32_t waits;  /* hooks are disarmed until it is time */
} r;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

__attribute__((constructor)) static void library_is_loaded(void)
{
    r.loaded = now();
}

/* When recording may begin. */
static uint64_t due(void)
{
    uint64_t none = 0; /* another library's constructor may call CUDA before ours has run */
    if (!__atomic_load_n(&r.loaded, __ATOMIC_RELAXED))
        __atomic_compare_exchange_n(&r.loaded, &none, now(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return r.loaded + ovh_setting_ns(OVH_SETTING_DELAY);
}

static void *arm_when_due(void *nothing)
{
    (void)nothing;
    ovh_busy_begin(); /* for good: nothing that this thread does is an event */
    prctl(PR_SET_NAME, "ovh-delay");
    struct timespec at = {.tv_sec = (time_t)(due() / SECOND), .tv_nsec = (long)(due() % SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0) != 0 && now() < due())
        ;
    __atomic_store_n(&r.waits, 0, __ATOMIC_RELEASE);
    ovh_arm(OVH_ARM_CUDA);
    return 0;
}

/* Too early. Without a thread of ours the hooks stay armed: each call comes here and looks at the clock. */
static void wait_for_it(void)
{
    if (__atomic_exchange_n(&r.waits, 1, __ATOMIC_ACQ_REL))
        return;
    ovh_process_watch_forks();
    ovh_disarm(OVH_ARM_CUDA);
    if (!ovh_own_thread_start(arm_when_due))
        ovh_arm(OVH_ARM_CUDA);
}

bool ovh_recording_not_now(void)
{
    if (ovh_stopped())
        return true;
    if (r.end && now() >= r.end) {
        ovh_arm_never();
        return true;
    }
    if (ovh_setting_ns(OVH_SETTING_DELAY) && now() < due()) {
        wait_for_it();
        return true;
    }
    enum ovh_units_state units = ovh_units_state();
    if (units != OVH_UNITS_WAITING)
        return units == OVH_UNITS_IMPOSSIBLE;
    ovh_process_watch_forks();
    if (ovh_units_are_ranges())
        ovh_disarm(OVH_ARM_CUDA); /* functions: when they are watched */
    return true;
}

void ovh_recording_begins(void)
{
    uint64_t duration = ovh_setting_ns(OVH_SETTING_DURATION);
    if (duration && !r.end)
        r.end = now() + duration;
}

enum ovh_window_reason ovh_recording_reason(void)
{
    return ovh_setting_ns(OVH_SETTING_DELAY) || ovh_units_state() == OVH_UNITS_RECORDING ? OVH_WINDOW_ASKED : OVH_WINDOW_BEGIN;
}

uint64_t ovh_recording_left_ms(void)
{
    uint64_t at = now();
    return !r.end ? UINT64_MAX : at >= r.end ? 0 : (r.end - at + MILLISECOND - 1) / MILLISECOND;
}

void ovh_recording_forked(void)
{
    if (r.waits)
        ovh_arm(OVH_ARM_CUDA); /* the thread that would do it is the parent's */
    r.waits = 0;
}
