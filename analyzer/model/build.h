/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes that build a model, in their order. Every one returns false when memory ran out.
 */
#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include "analyzer/model/blocked.h"
#include "analyzer/model/model.h"
#include "analyzer/model/siblings.h"
#include "analyzer/model/unit.h"
#include "analyzer/trace/walk.h"

struct build {
    struct model *m;
    const struct model_options *o;
    uint32_t *role_of;                    /* by thread index */
    struct blocked_histogram *histograms; /* by cct_node.open of launch nodes, from 1 */
    struct blocked_limit *limits;         /* likewise */
    uint32_t n_histograms, histograms_room;
    uint64_t done, all; /* events walked of those to walk, for the progress */
};

/* Pass 1, all threads: the tree with whole-run times, roles, counts, histograms of launches. */
bool run_pass(struct build *b);

/* Which frame loops, over what: sets CCT_LOOP, CCT_UNIT and CCT_NAMES in the tree and role, thread, kind or why in m->unit. */
bool loop_find(struct build *b);

/* Pass 2, the launching thread: what the loop's frame called. */
bool siblings_pass(struct build *b, struct siblings *s);

/* Units of work among the siblings; their names; the steady state. */
bool unit_find(struct build *b, struct siblings *s);

/* Pass 3, the launching thread: times and counts of the units that count. */
bool account_pass(struct build *b);

/* Rows of the costliest steps. */
bool steps_make(struct model *m);

void verdict_make(struct build *b, const struct siblings *s);

/* Names in the head of the unit. `pattern`: the symbols of one unit. */
void names_unit(struct model *m, const uint32_t *pattern, size_t n);

/* The same where a range is the unit: what --unit said. */
void names_range(struct model *m, const char *unit);

/* What a class table is made of: self times and calls of the nodes below `root` (CCT_NONE: of all), in the units or in the run. */
void account_classes(const struct model *m, uint32_t role, bool in_unit, struct model_class *classes);
/* The counts that follow from how often nodes were entered. */
void account_counts(const struct model *m, bool in_unit, struct model_counts *counts);
/* A record's part in the counts; `node`: the innermost open span's. */
void account_record(struct model_counts *counts, const struct cct_node *node, const struct trace_event *ev);

/* Launch that is open: what its records told. */
struct account_launch {
    uint32_t flags, kernel;
};
/* At the leave of an outermost launch call. The kernel's row, NULL: no memory. */
struct tally_row *account_launch(struct model *m, struct model_counts *counts, struct account_launch *launch);

/* Grows an array of `size`-byte elements so that one more than `n` fit. */
bool build_grow(void **array, size_t n, size_t *room, size_t size);
/* To be called for every so many events. */
#define BUILD_STEP (1u << 20)
void build_progress(struct build *b, uint64_t events);

#endif
