/* SPDX-License-Identifier: Apache-2.0
 *
 * The device's clock. Real: CLOCK_MONOTONIC. Fake: a number that only the host's doings move.
 */
#include "sim/device/device.h"
#include "sim/device/settings.h"
#include <time.h>

#define NS_PER_S 1000000000ull
/* A wait spins for its last part: a sleeping thread wakes some 50 us late, and a real synchronise spins as well. */
#define SPIN_NS 80000ull

SIM_EXPORT const char ovh_sim_device[] = "ovh simulated device " OVH_VERSION;

static uint64_t fake_now = NS_PER_S;

static uint64_t real_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

SIM_EXPORT int ovh_sim_clock_is_fake(void)
{
    return sim_settings()->fake_clock;
}

SIM_EXPORT uint64_t ovh_sim_ticks(void)
{
    return sim_settings()->fake_clock ? __atomic_load_n(&fake_now, __ATOMIC_ACQUIRE) : real_now();
}

static void spin_until(uint64_t ns)
{
    while (real_now() < ns) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
}

SIM_EXPORT void ovh_sim_advance(uint64_t ns)
{
    if (sim_settings()->fake_clock)
        __atomic_fetch_add(&fake_now, ns, __ATOMIC_ACQ_REL);
    else
        spin_until(real_now() + ns);
}

void sim_wait_until(uint64_t ns)
{
    if (sim_settings()->fake_clock) {
        uint64_t now = __atomic_load_n(&fake_now, __ATOMIC_ACQUIRE);
        while (now < ns && !__atomic_compare_exchange_n(&fake_now, &now, ns, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            ;
        return;
    }
    uint64_t now = real_now();
    if (ns > now + SPIN_NS) {
        struct timespec until = {(time_t)((ns - SPIN_NS) / NS_PER_S), (long)((ns - SPIN_NS) % NS_PER_S)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) != 0)
            ; /* EINTR: a signal was handled */
    }
    spin_until(ns);
}
