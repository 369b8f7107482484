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
/* Self time of a node in the units that count, ticks: without the probes' cost; as measured where that is not known, or `raw`. */
uint64_t correct_self(const struct model *m, uint32_t node, bool raw);

struct cct_node;
/* The kind of probe that every timed span of a node is, and that level 0 does not have. ESTIMATE_KINDS: none. */
enum estimate_kind correct_kind(const struct cct_node *node);
/* The same of a call that was counted; returns how many halves of such a probe it is. A function's costs about half of one that was timed: it
 * reads no clock. */
uint32_t correct_counted_kind(const struct cct_node *node, enum estimate_kind *kind);
/* What one probe of each kind costs, ticks; half of it lies inside its own span. A counted call's lies all in the caller. */
double correct_cost(const struct model *m, enum estimate_kind kind);

#endif
