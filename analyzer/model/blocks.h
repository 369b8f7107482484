/* SPDX-License-Identifier: Apache-2.0
 *
 * The counted units in blocks, in order of time: how much of each class and step a unit took in each block. What a comparison takes
 * its intervals from: neighbouring units resemble each other, so single units would promise more than they know.
 *
 * Made while the units are accounted, with no work per event: where a block begins, the tree's sums so far are kept.
 */
#ifndef BLOCKS_BLOCKS_H
#define BLOCKS_BLOCKS_H

#include "analyzer/model/cct.h"

#define BLOCKS_MOST 48u

struct blocks {
    size_t n;                                 /* blocks */
    uint64_t size;                            /* units of each but the last */
    uint64_t units[BLOCKS_MOST];              /* so many units of each */
    double wall[BLOCKS_MOST];                 /* ticks per unit: their durations */
    double classes[OVH_CLASSES][BLOCKS_MOST]; /* ticks per unit: self times */
    double *steps;                            /* likewise, by row of model_unit.steps (model_step.blocks): BLOCKS_MOST each */
    uint64_t *sums[BLOCKS_MOST + 1]; /* while accounting: unit_self of each node where block i begins, n_nodes[i] of them */
    uint32_t n_nodes[BLOCKS_MOST + 1];
};

/* `counted`: units that will come, at least. */
void blocks_begin(struct blocks *b, uint64_t counted);
/* A unit that counts begins; what came before is charged. False: no memory. */
bool blocks_unit(struct blocks *b, const struct cct *t, uint64_t wall);
/* Behind the last unit: closes the last block and makes the sums of the classes. */
bool blocks_close(struct blocks *b, const struct cct *t);
/* Adds a node's self time in each block, per unit, to `to` (BLOCKS_MOST values). Between close and drop only. */
void blocks_add(const struct blocks *b, uint32_t node, double *to);
/* Frees what only blocks_add needs. */
void blocks_drop(struct blocks *b);
void blocks_end(struct blocks *b);

/* What is typical of the blocks, and how well it is known. */
struct blocks_figure {
    double typical, low, high; /* low .. high: 95 % */
    double quiet;              /* the lower quartile: other programs only ever add time, and this has least of theirs */
};
/* `values`: n of them in order of time. Typical is the median; the mean of what happens in few blocks only. The interval is of
 * order statistics, for as many independent blocks as the n are worth (their correlation with the block before says that): with a
 * drift, or two modes in long stretches, it spans them. */
struct blocks_figure blocks_typical(const double *values, size_t n);

#endif
