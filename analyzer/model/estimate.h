/* SPDX-License-Identifier: Apache-2.0
 *
 * What a unit of work takes without the profiler, and what each kind of probe costs: from windows of different levels of one
 * run. Pure functions of the windows' means; units of time are the caller's. docs/estimation.md describes the method and what it assumes.
 */
#ifndef MODEL_ESTIMATE_H
#define MODEL_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ESTIMATE_LEVELS 5u
#define ESTIMATE_LEAST 6u /* windows of the highest level, each between two of level 0, for any statement */

enum estimate_kind { ESTIMATE_CALL, ESTIMATE_COUNTED, ESTIMATE_FRAME, ESTIMATE_NATIVE, ESTIMATE_KINDS };

/* One window, in order of time: how many units of work were measured in it, and the mean of their durations less waiting. */
struct estimate_window {
    uint32_t level;
    size_t n;
    double mean;
};

/* Of one kind of probe. */
struct estimate_probe {
    double per_unit; /* how many a unit has at a level that records the kind */
    double prior;    /* what one was measured to cost in a tight loop; 0: it was not measured */
};

struct estimate_interval {
    double value, low, high; /* 95 %, by bootstrap over the windows */
};

enum estimate_why {
    ESTIMATE_FINE,
    ESTIMATE_ONE_LEVEL,  /* nothing to compare */
    ESTIMATE_NO_CONTROL, /* no windows of level 0 */
    ESTIMATE_FEW,        /* fewer than ESTIMATE_LEAST windows that can be compared */
    ESTIMATE_NO_UNITS,   /* the launches do not tell units apart: see model/launches.h */
    ESTIMATE_WAITING,    /* the host waited for most of the time */
    ESTIMATE_NO_MEMORY
};

struct estimate {
    enum estimate_why why;
    uint32_t top;
    size_t sessions[ESTIMATE_LEVELS]; /* windows of each level that were compared with their neighbours */
    size_t modes;                     /* windows left out, since their two neighbours differ: the machine's mode changed there */
    double waiting;                   /* share of the periods that was waiting, and is left out; where the caller knows it */
    struct estimate_interval raw, corrected, control; /* per unit: at the highest level, that less the probes, at level 0 */
    struct estimate_interval error; /* (corrected - control) / control on windows that the costs were not fitted to */
    struct estimate_interval cost[ESTIMATE_KINDS];    /* of one probe of each kind */
};

/* least: the smallest spread that a prior is given, such as 20 ns. */
void estimate_make(struct estimate *e, const struct estimate_window *windows, size_t n, uint32_t top,
                   const struct estimate_probe probes[ESTIMATE_KINDS], double least);

#endif
