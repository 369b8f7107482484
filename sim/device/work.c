/* SPDX-License-Identifier: Apache-2.0
 *
 * The host works for as long as a call costs. Reading the clock takes some tens of ns itself, and most calls of the runtime cost no more
 * than that: such a cost is counted out by a loop that was timed once, a longer one is spun to its end by the clock.
 */
#include "sim/device/device.h"
#include "sim/device/settings.h"
#include "sim/device/touch.h"
#include <pthread.h>

#define SHORT_NS 1000u
#define TRIAL 4096u /* turns of the loop; some microseconds */
#define TRIALS 32u

static double turns_per_ns;
static uint64_t reading; /* ns that one reading of the clock takes */

static void turn(uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i)); /* the compiler must not count for us */
}

/* The fastest of several trials: the others were interrupted. */
static void measure(void)
{
    uint64_t least = UINT64_MAX, least_reading = UINT64_MAX;
    for (unsigned i = 0; i < TRIALS; i++) {
        uint64_t a = ovh_sim_ticks(), b = ovh_sim_ticks();
        turn(TRIAL);
        uint64_t loop = ovh_sim_ticks() - b;
        least_reading = b - a < least_reading ? b - a : least_reading;
        least = loop < least ? loop : least;
    }
    reading = least_reading;
    turns_per_ns = TRIAL / (double)(least > reading ? least - reading : 1);
}

void sim_spend(uint64_t ns)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct sim_settings *s = sim_settings();
    uint64_t bytes = (uint64_t)((double)ns * s->touch / 1000);
    if (s->fake_clock) {
        sim_touch(bytes);
        ovh_sim_advance(ns);
        return;
    }
    pthread_once(&once, measure);
    if (ns < SHORT_NS) {
        sim_touch(bytes);
        turn((uint32_t)((double)ns * turns_per_ns));
        return;
    }
    uint64_t start = ovh_sim_ticks();
    sim_touch(bytes);
    uint64_t used = ovh_sim_ticks() - start + 2 * reading; /* the readings before and after, and those of the spin */
    if (used < ns)
        ovh_sim_advance(ns - used);
}
