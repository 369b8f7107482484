/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/blocked.h"

#define LEAST_LAUNCHES 200
#define LEAST_SHARE 0.05 /* of the launches that block, before it is called so */
#define TIMES 5          /* longer than a usual one */
#define LEAST_NS 10000.0

/* Upper end of a bin. */
static uint64_t bin_end(unsigned bin)
{
    if (bin < 4)
        return bin;
    unsigned top = bin / 4, part = bin % 4;
    return ((uint64_t)(4 + part + 1) << (top - 2)) - 1;
}

struct blocked_limit blocked_find(const struct blocked_histogram *h, double ns_per_tick)
{
    struct blocked_limit limit = {.above = UINT64_MAX};
    /* The usual launch is among the fastest hundredth: in a run that is GPU-bound throughout, only the first ones do not block. */
    uint64_t rank = h->n / 100 + 1, seen = 0;
    unsigned bin = 0;
    if (h->n < LEAST_LAUNCHES)
        return limit;
    while (bin < BLOCKED_BINS && (seen += h->bins[bin]) < rank)
        bin++;
    limit.usual = bin_end(bin);
    double above = (double)limit.usual * TIMES, least = (double)limit.usual + LEAST_NS / ns_per_tick;
    above = above > least ? above : least;
    unsigned from = blocked_bin((uint64_t)above) + 1;
    for (bin = from; bin < BLOCKED_BINS; bin++)
        limit.launches += h->bins[bin];
    if ((double)limit.launches >= LEAST_SHARE * (double)h->n)
        limit.above = bin_end(from - 1);
    else
        limit.launches = 0;
    return limit;
}
