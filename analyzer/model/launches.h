/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of work told by the launches alone: the one thing that every level of detail sees. What a unit at the highest level
 * launches, and which calls in it wait, is looked for in the thread's launches and waits of the whole run; a period runs from a
 * unit's first launch to the first launch of the next one, less the waiting inside.
 */
#ifndef MODEL_LAUNCHES_H
#define MODEL_LAUNCHES_H

#include "analyzer/model/backlog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct siblings;

/* An outermost launch call, or call that waits for the GPU. */
struct launch_call {
    uint64_t tick;
    uint32_t ticks;  /* how long it took, UINT32_MAX at most */
    uint32_t symbol; /* step << 1, | 1: it waits */
};

/* Periods of one window, those of the launches that settle left out. */
struct launch_window {
    uint32_t level;
    size_t first, n; /* periods[first .. first + n) */
    uint64_t begin;  /* tick */
};

/* What cudaEventElapsedTime told the program, over the units between its events. */
struct launch_events {
    double us;
    uint64_t units;
};

struct launch_periods {
    struct launch_window *windows; /* one for each of model.windows */
    size_t n_windows;
    uint32_t *periods; /* ticks less waiting */
    size_t n, room;
    size_t unit;           /* launch calls and waits of a unit; 0: they could not be told */
    double share;          /* of the units at the highest level, those that launch this sequence */
    struct backlog backlog; /* of runs at all levels */
    struct launch_events events;
    double ticks, waiting; /* of all periods together, waiting included; that part of it */
};

/* False: no memory. A model without windows of several levels or without a unit has no periods. `s`: the marks of the unit's thread. */
bool launches_find(struct launch_periods *p, const struct model *m, const struct siblings *s);
void launches_free(struct launch_periods *p);

#endif
