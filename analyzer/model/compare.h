/* SPDX-License-Identifier: Apache-2.0
 *
 * Models in, a comparison out: the same rows of every side, what differs from the first side, and how sure that is. Pure: nothing
 * is printed, the models are only read and must live as long as the comparison.
 *
 * A side is one run, or several runs of the same program. Times are ns per unit of work.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "analyzer/model/model.h"

#define COMPARE_RUNS 64u /* of one side, at most */

/* Two equal processes differ for as long as they live, mostly by where libraries and heap lie: so much, as a standard deviation of
 * one process, is taken where too few runs of a side tell it. Measured: docs/results/2026-12-01-x86vm-gate.md. */
#define COMPARE_SPREAD 0.025
/* Runs of each side from which on the runs themselves tell it: with fewer, no interval of ranks reaches 95 %. */
#define COMPARE_RANKS 4u

struct compare_side {
    const struct model *const *models; /* each with a unit of work */
    size_t n;
};

enum compare_kind {
    COMPARE_CLASS, /* self time of a class */
    COMPARE_HOST,  /* the classes in which the host works: all but wait, off-cpu and gc */
    COMPARE_SUM,   /* all classes */
    COMPARE_WALL,  /* durations of the units */
    COMPARE_STEP   /* self time of a function */
};

/* A row on one side. */
struct compare_figure {
    bool there;           /* it occurs in a run of this side */
    double ns, low, high; /* median over the runs of what is typical of each; low .. high: the 95 % interval of the one run, or
                             the least and the greatest of several */
    double calls;         /* per unit, mean over the runs */
};

enum compare_verdict {
    COMPARE_SAME,   /* the interval of the difference holds 0, and is small: 5 % of the row, or 0.5 % of the host time */
    COMPARE_UNSURE, /* the interval holds 0, and is not small */
    COMPARE_SLOWER,
    COMPARE_FASTER,
    COMPARE_NEW, /* not in the first side */
    COMPARE_GONE /* only in the first side */
};

/* A side against the first one. */
struct compare_change {
    double ns, low, high;                /* difference, its 95 % interval */
    double ratio, ratio_low, ratio_high; /* 0 where the first side has none of it */
    enum compare_verdict verdict;
};

struct compare_row {
    enum compare_kind kind;
    uint32_t class_;
    const char *name, *file; /* of the first run that has it; "" where none */
    uint32_t line;
    struct compare_figure *figures; /* by side */
    struct compare_change *changes; /* by side; [0] is empty */
    double greatest;                /* ns: of the differences, whichever way */
};

struct compare {
    const struct compare_side *sides;
    size_t n_sides;
    struct compare_row *rows;       /* classes, host, sum, wall; then steps, those with the greatest difference first */
    size_t n_rows, n_steps;         /* all; of them steps, at the end */
    bool corrected;           /* classes, host, sum and steps are without the profiler's own cost: every run has an estimate of it */
    bool ranks;                     /* intervals come from the runs: there are enough of every side */
    struct compare_figure *figures; /* what rows point to */
    struct compare_change *changes;
};

/* NULL: no memory. At least two sides, with 1 to COMPARE_RUNS runs each. */
struct compare *compare_make(const struct compare_side *sides, size_t n);
void compare_free(struct compare *c);

/* In what the work of two runs differs: then their times answer no question about overhead alone. */
enum compare_unlike {
    COMPARE_UNIT = 1,     /* the unit is another call */
    COMPARE_LAUNCHES = 2, /* per unit */
    COMPARE_GEMMS = 4,    /* per unit */
    COMPARE_SHAPES = 8,   /* of the largest matrix product, or operations per unit */
    COMPARE_SYNCS = 16,   /* synchronisations and blocking copies per unit */
    COMPARE_COPIES = 32   /* per unit */
};
unsigned compare_unlike(const struct model *a, const struct model *b);

#endif
