/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that block because the launch queue is full: the host then waits for the GPU inside the launch call. Found from how long
 * launch calls take: a launch that blocks takes many times as long as a usual one, and there are many of them.
 */
#ifndef BLOCKED_BLOCKED_H
#define BLOCKED_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCKED_BINS 256u
#define BLOCKED_BEHIND 16u /* so many launches since the host last waited: a queue takes some time to fill */

/* Durations of one launch call in one context, in bins of a quarter of a power of two. */
struct blocked_histogram {
    uint64_t n, bins[BLOCKED_BINS];
};
struct blocked_limit {
    uint64_t usual;    /* ticks of a launch that does not block */
    uint64_t above;    /* a launch that takes more has blocked; UINT64_MAX: none has */
    uint64_t launches; /* that took more */
};

static inline unsigned blocked_bin(uint64_t ticks)
{
    if (ticks < 4)
        return (unsigned)ticks;
    unsigned top = 63u - (unsigned)__builtin_clzll(ticks);
    return top * 4 + (unsigned)(ticks >> (top - 2) & 3);
}

static inline void blocked_count(struct blocked_histogram *h, uint64_t ticks)
{
    h->n++;
    h->bins[blocked_bin(ticks)]++;
}

/* ns_per_tick: for what is least, 10 us. */
struct blocked_limit blocked_find(const struct blocked_histogram *h, double ns_per_tick);

#endif
