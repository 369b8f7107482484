/* SPDX-License-Identifier: Apache-2.0
 *
 * From the durations of all units to the steady state: warm-up left out, rare pauses apart, order statistics. Pure functions of the
 * array; units of time are the caller's.
 */
#ifndef STEADY_STEADY_H
#define STEADY_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEADY_FIND (-1) /* find the warm-up */

struct steady {
    size_t n;             /* all units */
    size_t warmup;        /* the first units that are left out */
    size_t pauses;        /* of the others, those above pause_above: shown apart */
    size_t counted;       /* n - warmup - pauses */
    uint64_t pause_above; /* UINT64_MAX: there are no pauses */
    uint64_t pause_sum, pause_max;
    /* of the counted ones */
    uint64_t sum, min, max, median, p90, p99;
    uint64_t low, high;     /* confidence interval of the median, of order statistics: no distribution is assumed */
    double mean, deviation; /* standard deviation of single units */
};

/* `wall` in order of time. warmup: how many to leave out, or STEADY_FIND. False: no memory. n may be 0. */
bool steady_find(struct steady *s, const uint64_t *wall, size_t n, int64_t warmup);

/* Is unit i counted? */
static inline bool steady_counts(const struct steady *s, size_t i, uint64_t wall)
{
    return i >= s->warmup && wall <= s->pause_above;
}

/* Ranks (from 0) of the order statistics that enclose the median of n with at least 95 % confidence; 0 and n - 1 where n is too
 * small for that. */
void steady_median_ranks(size_t n, size_t *low, size_t *high);

#endif
