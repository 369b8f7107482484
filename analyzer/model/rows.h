/* SPDX-License-Identifier: Apache-2.0
 *
 * What a row of a report (a class, a step, a sum) takes per unit of work, and how well that is known: from the units in blocks
 * (blocks.h). Of one run; several runs are compared in compare.c.
 */
#ifndef ROWS_ROWS_H
#define ROWS_ROWS_H

#include "analyzer/model/model.h"

struct row_value {
    bool there;           /* it took time, or was called */
    double ns, low, high; /* per unit: what is typical, and its 95 % interval */
    double calls;         /* per unit */
    double quiet;         /* ns: of the blocks that others disturbed least */
};

/* All of the unit's, after it was accounted for. corrected: of the time without the probes' cost. */
struct row_value row_of_class(const struct model *m, uint32_t class_, bool corrected);
/* The classes together: all of them, or those of the host. */
struct row_value row_of_sum(const struct model *m, bool host, bool corrected);
struct row_value row_of_wall(const struct model *m);
/* NULL: no such step. */
struct row_value row_of_step(const struct model *m, const struct model_step *s, bool corrected);

/* The interval as a table shows it, beside a mean: ns per unit. Where rare long calls pull the mean out of what is typical, it reaches up
 * to there. False: too few blocks for a statement. */
bool row_interval(const struct model *m, struct row_value v, double mean_ns, double *low, double *high);

#endif
