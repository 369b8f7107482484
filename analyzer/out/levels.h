/* SPDX-License-Identifier: Apache-2.0
 *
 * What the report says where levels of detail took turns.
 */
#ifndef OUT_LEVELS_H
#define OUT_LEVELS_H

#include "analyzer/out/out.h"

/* Which share of the run was recorded at which level, and what follows for its counts. Nothing where there is one level. */
void out_levels(FILE *to, const struct model *m);

/* "profiling cost: raw A, corrected B, control C us/call (measured error X %)", or why that cannot be said. */
void out_cost(FILE *to, const struct model *m);

/* Are the times in the tables to be the corrected ones? */
bool out_corrects(const struct model *m, const struct out_options *o);
/* Wall time of the counted units without the probes' cost, ticks: what the corrected rows add up to. Where an estimate is known. */
uint64_t out_corrected_wall(const struct model *m);

#endif
