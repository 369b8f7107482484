/* SPDX-License-Identifier: Apache-2.0
 *
 * One clock for every event: the CPU's counter, raw. Conversion to ns is the reader's work (anchors in the trace).
 */
#ifndef OVH_WRITER_CLOCK_H
#define OVH_WRITER_CLOCK_H

#include "preload/writer/thread.h"
#include <stdint.h>

/* Non-NULL where the counter cannot be used (not invariant, other clock source, simulated clock): read this instead. */
extern OVH_HIDDEN uint64_t (*ovh_clock_other)(void);

/* Ticks. No fence: off by tens of ns at most, and a fence costs more than the reading (x86: rdtsc 7.5 to 8.5 ns). */
static inline uint64_t ovh_tick(void)
{
    if (ovh_unlikely(ovh_clock_other != 0))
        return ovh_clock_other();
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
#error "ovh knows the clocks of x86-64 and aarch64"
#endif
}

#endif
