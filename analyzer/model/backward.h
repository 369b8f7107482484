/* SPDX-License-Identifier: Apache-2.0
 *
 * Backward passes within the units. The thread of the units waits in torch's _engine_run_backward while autograd's threads
 * (pt_autograd_*) work, or does the work itself. Each such stretch is joined, by time, to what those threads recorded in it:
 * from their first event to their last is the engine's, the rest is handing over.
 *
 * Division by module: autograd runs the functions of one pass on one thread in the reverse order of their forward calls (its
 * queue is ordered by sequence number, and what waits for a function has a higher number). So where the calls of `X.backward` of
 * functions written in Python are, in a stretch, exactly those of `X.forward` since the last stretch in reverse, each belongs to
 * the module whose forward called it. What torch's own C++ nodes do shows no frame and is not divided, nor is a stretch of which
 * that is not true.
 */
#ifndef BACKWARD_BACKWARD_H
#define BACKWARD_BACKWARD_H

#include "analyzer/model/modules.h"

#define BACKWARD_APPLIES 64u

struct backward_stretch {
    uint64_t start, end;
    uint64_t first, last;        /* events of autograd's threads in it; first > last: none */
    size_t forwards, n_forwards; /* calls of X.forward since the last stretch */
    bool counts;
};
struct backward_forward {
    uint32_t key, row;
};
struct backward_call {
    size_t stretch;
    uint64_t ticks;
    uint32_t key;
};
/* Calls of Function.apply, or of what runs a function's backward, that are open. */
struct backward_apply {
    uint32_t depth, inner; /* inner: depth + 1 of the function's forward or backward, 0: not met yet */
};

struct backward {
    uint8_t *kinds; /* by step id */
    uint32_t *keys; /* of forward and backward: the same where class and file are */
    uint32_t n_steps, n_keys;
    bool any; /* the trace has steps that run a backward pass */
    struct backward_stretch *stretches;
    struct backward_forward *forwards;
    struct backward_call *calls;
    size_t n_stretches, stretches_room, n_forwards, forwards_room, n_calls, calls_room, pending;
    struct backward_apply applies[BACKWARD_APPLIES];
    uint32_t n_applies;
    uint32_t open; /* depth + 1 of the stretch that is open */
    bool full;     /* later stretches are not joined */
    bool no_memory;
    /* of the units that count */
    uint64_t n, undivided;               /* stretches; those with Python functions that could not be told apart */
    uint64_t engine, hand_over, divided; /* ticks */
};

/* False: no memory. */
bool backward_begin(struct backward *b, const struct trace *t);
void backward_end(struct backward *b);

/* The units' thread: after modules_time, at every enter, and at every leave before modules_leave. counts: in a unit that counts. */
void backward_entered(struct backward *b, struct modules *ms, const struct trace_event *ev, bool counts);
void backward_leaves(struct backward *b, const struct trace_event *ev);

/* After that: autograd's threads. Fills the sums, and the rows' `backward`. False: no memory. */
bool backward_join(struct backward *b, struct modules *ms, const struct trace *t);

#endif
