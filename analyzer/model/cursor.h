/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a walk stands in the calling-context tree, and how much time passed since the event before. All passes over the events move
 * a cursor in the same way, so that they agree on every tick.
 *
 * In a window below the run's highest level (windows.h) no time is charged, and what is entered hangs below a root of its own, the
 * role's low_root: there launches and blocking calls are counted, and no context is invented for them. Where the thread stands in
 * the tree meanwhile is kept in `resume`; frames that are left there leave it.
 */
#ifndef CURSOR_CURSOR_H
#define CURSOR_CURSOR_H

#include "analyzer/model/cct.h"
#include "analyzer/model/model.h"
#include "analyzer/trace/walk.h"

struct cursor {
    struct cct *tree;
    uint32_t at;      /* node of the innermost open span */
    uint32_t entered; /* node entered by the last enter, CCT_NONE after a leave: a leave of it ends a span with none inside */
    uint64_t entered_tick;
    uint64_t tick;            /* up to here time is charged */
    bool gap;                 /* what lies before the next event was not recorded */
    bool stopped;             /* recording has stopped, until the next window or enter */
    const struct windows *windows;
    size_t window;     /* number of the one it is in */
    uint64_t edge;     /* the next one begins: an event behind this tick is not to be looked at before cursor_cross */
    bool low;          /* in a low window */
    uint32_t low_root; /* `at` is this, or below it */
    uint32_t resume;   /* node of the innermost span that was entered in no low window */
    uint32_t inside;   /* open spans that were entered in it */
    uint32_t code_step, code; /* what the last AT record told: offset in this step's code, + 1 */
};

void cursor_begin(struct cursor *c, struct cct *tree, const struct windows *windows, const struct model_role *role);

/* Before every event where this is so: */
static inline bool cursor_crosses(const struct cursor *c, const struct trace_event *ev)
{
    return ev->tick > c->edge;
}
/* moves into the window of `tick`. Returns the ticks up to its edge, to be charged to *node. */
uint64_t cursor_cross(struct cursor *c, uint64_t tick, uint32_t *node);

/* Ticks to be charged to c->at. */
static inline uint64_t cursor_time(struct cursor *c, uint64_t tick)
{
    uint64_t ticks = c->gap || tick < c->tick ? 0 : tick - c->tick;
    c->tick = c->gap || tick > c->tick ? tick : c->tick;
    c->gap = c->stopped || c->low;
    return ticks;
}

static inline struct cct_node *cursor_enter(struct cursor *c, const struct trace_event *ev)
{
    if (c->low && !c->inside && (ev->flags & TRACE_REOPENED)) { /* a frame from before the window, told by a snapshot */
        c->resume = cct_child(c->tree, c->resume, ev->id);
        c->entered = CCT_NONE;
        return &c->tree->nodes[c->resume];
    }
    c->inside += c->low;
    c->at = c->entered = cct_child(c->tree, c->at, ev->id);
    c->entered_tick = ev->tick;
    c->gap = c->stopped = false;
    return &c->tree->nodes[c->at];
}

/* A call that was counted: its node. It opens no span. */
static inline uint32_t cursor_call(struct cursor *c, const struct trace_event *ev)
{
    c->entered = CCT_NONE;
    return cct_child(c->tree, c->at, ev->arg);
}

/* Before a leave: a garbage collection that has not ended by then ends here. */
static inline void cursor_before_leave(struct cursor *c)
{
    while (c->tree->nodes[c->at].flags & CCT_PSEUDO)
        c->at = c->tree->nodes[c->at].parent;
}

/* Returns the node that was left. */
static inline uint32_t cursor_leave(struct cursor *c)
{
    uint32_t left = c->at;
    if (c->low && !c->inside) {
        left = c->resume;
        c->resume = c->tree->nodes[left].parent;
        c->entered = CCT_NONE;
        return left;
    }
    c->inside -= c->low;
    c->at = c->tree->nodes[left].parent;
    c->entered = CCT_NONE;
    return left;
}

static inline uint64_t cursor_u64(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* Does recording stop with this event, or are events missing here? Nothing goes on across it. */
static inline bool cursor_breaks(const struct trace_event *ev)
{
    return ev->kind == TRACE_BREAK || (ev->kind == TRACE_RECORD && ev->type == OVH_R_WINDOW && ev->arg == 0xffff);
}

/* Time that a record takes from the innermost span, or the collector's begin and end. Returns the ticks that are to be charged to
 * *node now (CCT_NONE: nothing); *from, where it is not CCT_NONE, loses as many. The collector's span is entered and left here. */
uint64_t cursor_record(struct cursor *c, const struct trace_event *ev, uint32_t *node, uint32_t *from);

#endif
