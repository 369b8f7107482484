/* SPDX-License-Identifier: Apache-2.0
 *
 * What a wait behind a run of units says of the GPU: it ended at once, or the GPU was still at work.
 */
#ifndef BACKLOG_BACKLOG_H
#define BACKLOG_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

struct backlog {
    double ticks;                       /* of runs whose wait was long: from the first unit to the wait's end */
    uint64_t units, runs;               /* of those */
    uint64_t prompt_units, prompt_runs; /* whose wait ended at once */
};

/* A run of that many units with a wait behind it. Ticks: the units' time, the wait's, and from the first unit to the wait's end; `ns` per
 * tick. Too short a run says nothing. */
void backlog_add(struct backlog *b, double ns, uint64_t units, double busy, double waited, double whole);

#endif
