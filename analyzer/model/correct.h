/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate of a model, and its tree with the probes' costs taken off.
 */
#ifndef MODEL_CORRECT_H
#define MODEL_CORRECT_H

#include "analyzer/model/estimate.h"
#include "analyzer/model/launches.h"

#include <stdbool.h>
#include <stdint.h>

struct model;
struct siblings;

struct correction {
    struct estimate estimate; /* ticks */
    /* Self times of the units that count, by node of the tree, with the probes taken off and brought to the corrected total. NULL:
     * there is no estimate. None is negative; waiting apart, they are corrected.value for every unit that counts, nearly. */
    uint64_t *self;
    uint64_t sum;         /* of them */
    double scale;         /* they were multiplied by: what the units compared took more or less than those looked into */
    double probes[ESTIMATE_KINDS]; /* per unit */
    size_t unit_launches; /* launch calls and waits by which units were found at every level; 0: they were not */
    struct backlog backlog;
    struct launch_events events;
    double unit_share;    /* of the units at the highest level, those that launch just this sequence */
};

/* After the units were accounted for: m->correction, and `corrected` of the unit's classes. False: no memory. */
bool correct_make(struct model *m, const struct siblings *s);
void correct_free(struct correction *c);
/* Is there an estimate? Then the corrected times mean something. */
bool correct_known(const struct model *m);

#endif
