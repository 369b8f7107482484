/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass 1: every event of every thread, once. Makes the tree.
 */
#include "analyzer/model/build.h"
#include "analyzer/model/cursor.h"

#include <stdlib.h>
#include <string.h>

bool build_grow(void **array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return true;
    size_t more = *room ? *room * 2 : 256;
    void *grown = more > *room ? reallocarray(*array, more, size) : NULL;
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

void build_progress(struct build *b, uint64_t events)
{
    b->done += events;
    if (b->o->progress && b->all)
        b->o->progress(b->o->progress_arg, b->done < b->all ? (double)b->done / (double)b->all : 1);
}

/* Threads with the same name do the same work: one role. The process's first thread is a role of its own. */
static bool find_role(struct build *b, size_t thread)
{
    struct model *m = b->m;
    const struct trace_thread *t = &m->trace->threads[thread];
    size_t r = 0;
    while (r < m->n_roles && (thread == 0 || m->roles[r].first == m->trace->threads[0].number || strcmp(m->roles[r].name, t->name)))
        r++;
    if (r == m->n_roles) {
        struct model_role *roles = reallocarray(m->roles, m->n_roles + 1, sizeof *roles);
        uint32_t root = cct_root(&m->tree), low_root = cct_root(&m->tree);
        if (roles)
            m->roles = roles;
        if (!roles || root == CCT_NONE || low_root == CCT_NONE)
            return false;
        m->roles[m->n_roles++] = (struct model_role){.name = t->name, .first = t->number, .root = root, .low_root = low_root};
    }
    m->roles[r].threads++;
    b->role_of[thread] = (uint32_t)r;
    return true;
}

static bool count_launch_time(struct build *b, struct cct_node *node, uint64_t ticks)
{
    if (!node->open) {
        size_t room = b->histograms_room;
        if (!build_grow((void **)&b->histograms, b->n_histograms + 1u, &room, sizeof *b->histograms))
            return false;
        b->histograms_room = (uint32_t)room;
        node->open = ++b->n_histograms;
        b->histograms[node->open] = (struct blocked_histogram){0};
    }
    blocked_count(&b->histograms[node->open], ticks);
    return true;
}

struct run {
    struct build *b;
    struct cursor c;
    struct account_launch launch;
    struct model_role *role;
    bool leaves; /* short functions were counted as well */
    bool fine;
};

static uint32_t level_now(const struct run *r)
{
    const struct windows *w = &r->b->m->windows;
    return w->n ? w->list[r->c.window].level : w->top;
}

/* What of a leave needs more than moving on: an unusual end, or the end of a launch. */
static void unusual_leave(struct run *r, const struct trace_event *ev, struct cct_node *node, bool leaf)
{
    struct model *m = r->b->m;
    struct model_quality *q = &m->quality;
    if (ev->flags & TRACE_INCOMPLETE) {
        bool open_is_fine = (node->flags & CCT_PYTHON) || m->trace->health.end_reason == OVH_END_STOPPED;
        if (open_is_fine && m->trace->health.ended)
            q->open_frames++;
        else
            q->incomplete++;
    }
    q->cut += (ev->flags & TRACE_CUT) != 0;
    q->unwound += (ev->flags & TRACE_UNWOUND) != 0;
    m->run_counts.failed += (ev->flags & TRACE_FAILED) && (node->flags & CCT_HOOKED);
    if (ev->flags & (TRACE_INCOMPLETE | TRACE_CUT))
        return;
    if ((node->flags & CCT_LAUNCH) && leaf)
        r->fine &= count_launch_time(r->b, node, ev->tick - r->c.entered_tick);
    if (node->flags & CCT_LAUNCH_TOP) {
        m->windows.levels[level_now(r)].launches++;
        struct tally_row *row = account_launch(m, &m->run_counts, &r->launch);
        r->fine &= row != NULL;
        if (row)
            row->run++;
    }
}

/* In code that is at a known place, a hooked call is made from there: by a C function that it calls, perhaps. */
static void know_place(struct cursor *c, struct cct_node *node)
{
    if (!node->at && (node->flags & CCT_HOOKED) && c->code_step == c->tree->nodes[cct_caller(c->tree, node)].step)
        node->at = c->code;
}

static void counted(struct run *r, const struct trace_event *ev)
{
    struct model *m = r->b->m;
    uint32_t node = cursor_call(&r->c, ev);
    m->tree.nodes[node].calls++;
    know_place(&r->c, &m->tree.nodes[node]);
    counted_call(&m->counted, node, ev->arg);
}

static void record(struct run *r, const struct trace_event *ev)
{
    struct model *m = r->b->m;
    uint32_t node, from;
    if (ev->type == OVH_R_CALL) {
        counted(r, ev);
        return;
    }
    if (ev->type == OVH_R_RANGE || cursor_breaks(ev))
        ranges_count(&m->ranges, ev);
    uint64_t ticks = cursor_record(&r->c, ev, &node, &from);
    struct cct_node *n = m->tree.nodes;
    if (node) {
        n[node].self += ticks;
        n[node].calls += (n[node].flags & CCT_PSEUDO) && from;
    }
    if (from)
        n[from].self -= ticks;
    if (ev->type == OVH_R_GC && (n[r->c.at].flags & CCT_PSEUDO))
        n[r->c.at].calls++;
    if (ev->type == OVH_R_STACK)
        m->walked_stacks = true;
    if (ev->type == OVH_R_LAUNCH) {
        r->launch.flags |= ev->arg;
        if (ev->data[0])
            r->launch.kernel = ev->data[0];
    }
    account_record(&m->run_counts, &n[r->c.at], ev);
}

static void cross(struct run *r, const struct trace_event *ev)
{
    uint32_t node;
    uint64_t ticks = cursor_cross(&r->c, ev->tick, &node);
    r->c.tree->nodes[node].self += ticks;
}

static bool walk_thread(struct run *r, const struct trace_thread *thread)
{
    struct model *m = r->b->m;
    struct cct *t = &m->tree;
    struct cursor *c = &r->c;
    struct trace_walk w;
    struct trace_event ev;
    uint32_t events = 0;
    windows_thread(&m->windows);
    cursor_begin(c, t, &m->windows, r->role);
    trace_walk_begin(&w, m->trace, thread);
    while (trace_walk_next(&w, &ev)) {
        if ((++events & (BUILD_STEP - 1)) == 0)
            build_progress(r->b, BUILD_STEP);
        if (cursor_crosses(c, &ev))
            cross(r, &ev);
        if (ev.kind == TRACE_ENTER) {
            t->nodes[c->at].self += cursor_time(c, ev.tick);
            struct cct_node *node = cursor_enter(c, &ev);
            node->calls += !(ev.flags & TRACE_REOPENED);
            if ((node->flags & CCT_LAUNCH) && m->windows.n)
                r->fine &= windows_launch(&m->windows, c->window, ev.tick);
            know_place(c, node);
            if (counted_kind(node->kind))
                counted_enter(&m->counted, c->at, ev.id, ev.flags & TRACE_REOPENED ? COUNTED_UNKNOWN : ev.tick);
        } else if (ev.kind == TRACE_LEAVE) {
            t->nodes[c->at].self += cursor_time(c, ev.tick);
            cursor_before_leave(c);
            bool leaf = c->entered == c->at;
            uint64_t began = c->entered_tick;
            uint32_t left = cursor_leave(c);
            struct cct_node *node = &t->nodes[left];
            if (counted_kind(node->kind) && !(ev.flags & ~TRACE_FAILED))
                counted_leave(&m->counted, left, ev.tick);
            else if (leaf && r->leaves && counted_function(node->class_) && !(ev.flags & ~TRACE_FAILED))
                counted_leaf(&m->counted, left, node->step, ev.tick - began);
            if (ev.flags || (node->flags & CCT_LAUNCH))
                unusual_leave(r, &ev, node, leaf);
        } else if (ev.kind == TRACE_RECORD) {
            record(r, &ev);
        } else {
            ranges_count(&m->ranges, &ev);
            c->gap = true;
        }
    }
    m->quality.orphans += w.orphans;
    m->quality.stepped_back += w.stepped_back;
    r->fine &= !w.no_memory && !t->no_memory && !m->counted.no_memory && !m->ranges.no_memory;
    trace_walk_end(&w);
    return r->fine;
}

bool run_pass(struct build *b)
{
    struct model *m = b->m;
    bool leaves = strcmp(trace_setting(m->trace, "OVH_TIME_QUERIES"), "1") != 0;
    b->role_of = calloc(m->trace->n_threads + 1, sizeof *b->role_of);
    if (!b->role_of)
        return false;
    for (size_t i = 0; i < m->trace->n_threads; i++) {
        if (!find_role(b, i))
            return false;
        ranges_thread(&m->ranges, i, true);
        struct run r = {.b = b, .role = &m->roles[b->role_of[i]], .leaves = leaves, .fine = true};
        if (!walk_thread(&r, &m->trace->threads[i]))
            return false;
    }
    ranges_finish(&m->ranges);
    windows_settle(&m->windows);
    counted_estimate(m);
    counted_charge(m, false);
    for (uint32_t r = 0; r < m->n_roles; r++) {
        account_classes(m, r, false, m->roles[r].classes);
        for (int k = 0; k < OVH_CLASSES; k++) {
            m->roles[r].recorded += m->roles[r].classes[k].ticks;
            m->run[k].ticks += m->roles[r].classes[k].ticks;
            m->run[k].calls += m->roles[r].classes[k].calls;
            m->run[k].counted += m->roles[r].classes[k].counted;
            m->run[k].estimated += m->roles[r].classes[k].estimated;
        }
    }
    account_counts(m, false, &m->run_counts);
    return true;
}
