/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass 2: the launching thread again, for the calls of the looping frame.
 */
#include "analyzer/model/siblings.h"

#include "analyzer/model/build.h"
#include "analyzer/model/cursor.h"
#include "analyzer/model/period.h"
#include "analyzer/model/place.h"

#include <stdlib.h>
#include <string.h>

bool siblings_told(const struct siblings *s, struct told *told)
{
    const struct mark *start = NULL, *end = NULL;
    bool fresh = false;
    size_t i = told->next;
    for (size_t back = i; back && !end; back--) /* the event before the last answer may begin the next stretch */
        end = s->marks[back - 1].kind == MARK_EVENT ? &s->marks[back - 1] : NULL;
    for (; i < s->n_marks; i++) {
        const struct mark *k = &s->marks[i];
        if (k->kind == MARK_EVENT) {
            start = end;
            end = k;
            fresh = true;
        } else if (k->kind == MARK_ELAPSED && fresh && start) {
            *told = (struct told){.start = start->start, .end = end->start, .us = k->us, .next = i + 1};
            return true;
        }
    }
    return false;
}

void siblings_end(struct siblings *s)
{
    free(s->list);
    free(s->marks);
    *s = (struct siblings){0};
}

/* What is in a node's subtree, the node itself left out for the second. */
enum below { BELOW_LAUNCHES = 1, BELOW_MATTERS = 2 };

struct pass {
    struct build *b;
    struct siblings *s;
    struct cursor c;
    const uint8_t *below; /* by node: enum below */
    uint32_t nodes;       /* that `below` knows */
    size_t range_window;  /* where the range began that is a unit of work */
    size_t open;          /* number + 1 of the sibling that waits for its module's name */
    uint64_t wait_start;
    bool fine;
};

/* A node that pass 1 has not met is not to be expected; it is looked into. */
static uint8_t below(const struct pass *p, uint32_t node)
{
    return node < p->nodes ? p->below[node] : BELOW_MATTERS;
}

static void push(struct pass *p, struct sibling sibling)
{
    struct siblings *s = p->s;
    if (s->n >= UINT32_MAX - 2 || !build_grow((void **)&s->list, s->n, &s->room, sizeof *s->list))
        p->fine = false;
    else
        s->list[s->n++] = sibling;
}

static void mark(struct pass *p, struct mark mark)
{
    struct siblings *s = p->s;
    mark.before = (uint32_t)s->n;
    if (!build_grow((void **)&s->marks, s->n_marks, &s->marks_room, sizeof *s->marks))
        p->fine = false;
    else
        s->marks[s->n_marks++] = mark;
}

/* A call that is open at a window's edge is not seen whole; nothing goes on across the edge. */
static void cross(struct pass *p, const struct trace_event *ev)
{
    const struct cct_node *nodes = p->c.tree->nodes;
    size_t window = p->c.window;
    uint32_t at = p->c.low ? p->c.resume : p->c.at, node;
    cursor_cross(&p->c, ev->tick, &node);
    if (p->c.window == window)
        return;
    for (; !(nodes[at].flags & CCT_ROOT); at = nodes[at].parent)
        if ((nodes[at].flags & CCT_LOOP) && nodes[at].open < p->s->n && !p->s->list[nodes[at].open].end)
            p->s->list[nodes[at].open].symbol = PERIOD_GAP;
    p->open = 0;
    place_restart(p->b->m);
}

static void enter(struct pass *p, const struct trace_event *ev)
{
    struct cct_node *nodes = p->c.tree->nodes, *parent = &nodes[p->c.at];
    struct cct_node *node = cursor_enter(&p->c, ev);
    uint32_t number = p->c.at, launches = below(p, number) & BELOW_LAUNCHES ? PERIOD_LAUNCHES : 0;
    if (node->flags & CCT_LOOP)
        node->open = PLACE_NEW;
    if (node->flags & CCT_SYNC_TOP)
        p->wait_start = ev->tick;
    if ((parent->flags & CCT_LOOP) && cct_in_sequence(node)) {
        if (parent->open == PLACE_NEW)
            push(p, (struct sibling){.start = ev->tick, .end = ev->tick, .symbol = PERIOD_GAP});
        parent->open = (uint32_t)p->s->n;
        p->open = p->s->n + 1;
        push(p, (struct sibling){
                    .start = ev->tick, .symbol = ev->flags & TRACE_REOPENED ? PERIOD_GAP : number | launches, .node = number});
    } else if ((node->flags & CCT_NAMES) && p->open) {
        struct sibling *s = &p->s->list[p->open - 1];
        if (s->symbol != PERIOD_GAP)
            s->symbol = number | (s->symbol & PERIOD_LAUNCHES);
        p->open = 0; /* the first one only */
    }
}

static void leave(struct pass *p, const struct trace_event *ev)
{
    struct cct_node *nodes = p->c.tree->nodes;
    cursor_before_leave(&p->c);
    uint32_t left = cursor_leave(&p->c);
    struct cct_node *parent = &nodes[p->c.at];
    if (nodes[left].flags & CCT_SYNC_TOP)
        mark(p, (struct mark){.start = p->wait_start, .end = ev->tick, .kind = MARK_WAIT});
    if ((parent->flags & CCT_LOOP) && cct_in_sequence(&nodes[left]) && parent->open < p->s->n) {
        struct sibling *s = &p->s->list[parent->open];
        s->end = ev->tick;
        p->open = 0;
        if (ev->flags & (TRACE_CUT | TRACE_INCOMPLETE))
            s->symbol = PERIOD_GAP;
    }
}

/* A range is the unit of work: each is a sibling, with a gap before it, since what lies between them belongs to none. */
static void range(struct pass *p, const struct trace_event *ev)
{
    struct siblings *s = p->s;
    switch (ranges_follow(&p->b->m->ranges, ev)) {
    case RANGE_UNIT_BEGINS:
        push(p, (struct sibling){.start = ev->tick, .end = ev->tick, .symbol = PERIOD_GAP});
        push(p, (struct sibling){
                    .start = ev->tick, .end = ev->tick, .symbol = p->c.low ? PERIOD_GAP : SIBLING_RANGE});
        p->range_window = p->c.window;
        break;
    case RANGE_UNIT_ENDS:
        if (s->n)
            s->list[s->n - 1].end = ev->tick;
        if (s->n && p->c.window != p->range_window)
            s->list[s->n - 1].symbol = PERIOD_GAP;
        break;
    case RANGE_UNIT_BROKEN:
        if (s->n)
            s->list[s->n - 1].symbol = PERIOD_GAP;
        break;
    case RANGE_NOTHING:
        break;
    }
}

static void record(struct pass *p, const struct trace_event *ev)
{
    if (p->b->m->unit.kind == MODEL_UNIT_RANGE)
        range(p, ev);
    if (cursor_breaks(ev))
        place_restart(p->b->m);
    if (ev->type == OVH_R_HANDLE && ev->arg == OVH_H_EVENT_RECORD) {
        uint64_t handle = cursor_u64(ev->data);
        struct siblings *s = p->s;
        bool again = s->n_marks && s->marks[s->n_marks - 1].kind == MARK_EVENT && s->marks[s->n_marks - 1].handle == handle;
        if (!again) /* the runtime's call tells it, and the driver's inside */
            mark(p, (struct mark){.start = ev->tick, .handle = handle, .kind = MARK_EVENT});
    }
    if (ev->type == OVH_R_ELAPSED) {
        struct mark m = {.start = ev->tick, .kind = MARK_ELAPSED};
        memcpy(&m.us, ev->data, sizeof m.us);
        mark(p, m);
    }
}

/* Outside what is stepped over, records move the cursor as in pass 1. */
static void moving_record(struct pass *p, const struct trace_event *ev)
{
    uint32_t node, from;
    cursor_record(&p->c, ev, &node, &from);
    record(p, ev);
}

/* Nothing below this span is looked at but the program's own timing: go to its leave. The events between cost no way in the tree.
 */
static void skip(struct pass *p, struct trace_walk *w, struct trace_event *ev)
{
    uint32_t depth = ev->depth;
    while (p->fine && trace_walk_next(w, ev)) {
        if (cursor_crosses(&p->c, ev))
            cross(p, ev);
        if (ev->kind == TRACE_LEAVE && ev->depth == depth)
            return;
        if (ev->kind == TRACE_RECORD)
            record(p, ev);
    }
}

static bool walk(struct pass *p)
{
    struct build *b = p->b;
    struct trace_walk w;
    struct trace_event ev;
    uint32_t siblings = 0;
    ranges_thread(&b->m->ranges, 0, false);
    trace_walk_begin(&w, b->m->trace, place_thread(b->m));
    while (p->fine && trace_walk_next(&w, &ev)) {
        if (cursor_crosses(&p->c, &ev))
            cross(p, &ev);
        if (ev.kind == TRACE_ENTER) {
            enter(p, &ev);
            if (below(p, p->c.at) & BELOW_MATTERS)
                continue;
            skip(p, &w, &ev);
        }
        if (ev.kind == TRACE_LEAVE)
            leave(p, &ev);
        else if (ev.kind == TRACE_RECORD)
            moving_record(p, &ev);
        else
            record(p, &ev);
        if ((++siblings & 0xffff) == 0)
            build_progress(b, 0);
    }
    if (b->m->unit.kind == MODEL_UNIT_RANGE && b->m->ranges.inside && p->s->n)
        p->s->list[p->s->n - 1].symbol = PERIOD_GAP; /* it never ended */
    p->fine &= !w.no_memory && !b->m->ranges.no_memory;
    trace_walk_end(&w);
    return p->fine;
}

bool siblings_pass(struct build *b, struct siblings *s)
{
    struct model *m = b->m;
    uint8_t *known = calloc(m->tree.n, sizeof *known);
    struct pass p = {.b = b, .s = s, .below = known, .nodes = m->tree.n, .fine = known != NULL};
    if (!known)
        return false;
    for (uint32_t i = m->tree.n; i-- > 1;) {
        const struct cct_node *n = &m->tree.nodes[i];
        known[i] |= n->flags & CCT_LAUNCH_TOP ? BELOW_LAUNCHES : 0;
        known[i] |= n->flags & CCT_LOOP ? BELOW_MATTERS : 0;
        known[n->parent] |= known[i] | (n->flags & (CCT_SYNC_TOP | CCT_NAMES) ? BELOW_MATTERS : 0);
    }
    place_restart(m);
    cursor_begin(&p.c, &m->tree, &m->windows, &m->roles[m->unit.role]);
    bool fine = walk(&p);
    free(known);
    return fine;
}
