/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that were counted and not timed (CALL records): short calls that only read or set state, and short functions that call nothing
 * recorded, of which the recorder times some, chosen at random. Their time is estimated from those of the same step that were timed, and
 * taken from the span that made them.
 */
#ifndef COUNTED_COUNTED_H
#define COUNTED_COUNTED_H

#include "analyzer/model/blocked.h"
#include "ovh/trace.h"

struct model;

/* Of one node of the tree. */
struct counted_node {
    uint64_t calls, unit_calls; /* counted, not timed; cct_node.calls and unit_calls contain them */
    uint64_t ticks, unit_ticks; /* estimated for them; cct_node.self and unit_self contain it, those of the node above don't */
    uint64_t begin;             /* tick at which the open span began; COUNTED_UNKNOWN */
    uint32_t row;               /* of the step, + 1; 0: none yet */
};
#define COUNTED_UNKNOWN UINT64_MAX

/* Lengths of the timed spans of one step, in all threads: of a hook's with all inside, of a function's those with nothing inside. */
struct counted_step {
    uint32_t id;
    uint64_t calls; /* counted, not timed, in the whole run */
    uint64_t timed;
    double ticks; /* estimated of one call, once counted_estimate was called */
    uint64_t n[BLOCKED_BINS], sum[BLOCKED_BINS];
};

struct counted {
    struct counted_node *nodes; /* by number of the tree's node; those beyond `room` are all zero */
    size_t room;
    struct counted_step *steps;
    size_t n_steps, steps_room;
    bool no_memory;
};

void counted_end(struct counted *c);

/* Steps whose timed spans are looked at: the recorder counts no others. */
static inline bool counted_kind(uint32_t kind)
{
    return kind == OVH_KIND_QUERY || kind == OVH_KIND_SET;
}

static inline bool counted_function(uint32_t class_)
{
    return class_ == OVH_CLASS_PYTHON || class_ == OVH_CLASS_NATIVE;
}

/* Pass 1: a call was counted; a timed span of such a step began (tick; COUNTED_UNKNOWN: before it was recorded), and ended. */
void counted_call(struct counted *c, uint32_t node, uint32_t step);
void counted_enter(struct counted *c, uint32_t node, uint32_t step, uint64_t tick);
void counted_leave(struct counted *c, uint32_t node, uint64_t tick);
/* Pass 1: a span of a function ended, with nothing inside. */
void counted_leaf(struct counted *c, uint32_t node, uint32_t step, uint64_t ticks);
/* Pass 3: a call was counted in a unit that counts. */
void counted_unit_call(struct counted *c, uint32_t node);

/* After pass 1: what one call of each step takes; CCT_COUNTED of the nodes of steps with counted calls. */
void counted_estimate(struct model *m);
/* Moves the estimated time from the spans that made the calls to the calls, in the whole run or in the units. No span gives more
 * than its self time. To be called once for each. */
void counted_charge(struct model *m, bool in_unit);

const struct counted_node *counted_of(const struct model *m, uint32_t node);

/* All steps of which calls were counted, together. */
struct counted_sum {
    uint64_t calls;   /* timed or not */
    uint64_t counted; /* of them: not timed */
    uint64_t blind;   /* of these: of steps none of whose calls was timed; their time is not known, and 0 */
    uint64_t ticks;   /* estimated */
};
struct counted_sum counted_sum(const struct model *m, bool in_unit);

#endif
