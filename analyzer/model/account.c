/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass 3: times and counts of the units that count, on the thread that launches. What is charged to a unit lies between its start
 * and its end, to the tick; nothing else is.
 */
#include "analyzer/model/build.h"
#include "analyzer/model/cursor.h"
#include "analyzer/model/place.h"

#include <stdlib.h>

static void account_gemm(struct model_counts *counts, const struct trace_event *ev)
{
    struct model_gemm g = {.m = cursor_u64(ev->data), .n = cursor_u64(ev->data + 2), .k = cursor_u64(ev->data + 4),
                           .batch = ev->arg < 0xffff ? ev->arg : ev->data[6], .types = ev->data[7]};
    const struct model_gemm *l = &counts->largest;
    double flops = 2.0 * (double)g.m * (double)g.n * (double)g.k * (double)(g.batch ? g.batch : 1);
    if (flops > 2.0 * (double)l->m * (double)l->n * (double)l->k * (double)(l->batch ? l->batch : 1))
        counts->largest = g;
    counts->flops += flops;
}

void account_record(struct model_counts *counts, const struct cct_node *node, const struct trace_event *ev)
{
    if (ev->type == OVH_R_COPY && (node->flags & CCT_COPY_TOP)) {
        uint32_t direction = ev->arg & 0xff;
        counts->copied_bytes[direction <= OVH_COPY_DEFAULT ? direction : OVH_COPY_DEFAULT] += cursor_u64(ev->data);
    } else if (ev->type == OVH_R_MEMORY && (node->flags & CCT_ALLOC_TOP)) {
        counts->allocated_bytes += cursor_u64(ev->data);
    } else if (ev->type == OVH_R_GEMM && (node->flags & CCT_GEMM_TOP)) {
        account_gemm(counts, ev);
    }
}

struct tally_row *account_launch(struct model *m, struct model_counts *counts, struct account_launch *launch)
{
    struct account_launch l = *launch;
    *launch = (struct account_launch){0};
    if (l.flags & OVH_LAUNCH_CAPTURED)
        counts->captured++;
    else if (l.flags & OVH_LAUNCH_GRAPH)
        counts->graphs++;
    else if (l.flags & OVH_LAUNCH_HOST)
        counts->host_functions++;
    return tally_row(&m->kernels, l.kernel);
}

static uint64_t calls_of(const struct cct_node *node, bool in_unit)
{
    return in_unit ? node->unit_calls : node->calls;
}

void account_counts(const struct model *m, bool in_unit, struct model_counts *counts)
{
    uint64_t nested = 0, outer_runtime = 0;
    for (uint32_t i = 1; i < m->tree.n; i++) {
        const struct cct_node *n = &m->tree.nodes[i];
        uint64_t calls = calls_of(n, in_unit);
        if (!n->flags || !calls)
            continue;
        if (n->flags & CCT_LAUNCH) {
            bool top = n->flags & CCT_LAUNCH_TOP, runtime = m->tree.nodes[i].class_ == OVH_CLASS_CUDART;
            *(n->class_ == OVH_CLASS_DRIVER ? &counts->driver_launches : &counts->runtime_launches) += calls;
            counts->launches += top ? calls : 0;
            outer_runtime += top && runtime ? calls : 0;
            nested += !top && n->class_ == OVH_CLASS_DRIVER ? calls : 0;
        }
        counts->allocations += n->flags & CCT_ALLOC_TOP ? calls : 0;
        counts->copies += n->flags & CCT_COPY_TOP ? calls : 0;
        counts->heuristics += n->flags & CCT_HEURISTIC_TOP ? calls : 0;
        counts->gemms += n->flags & CCT_GEMM_TOP ? calls : 0;
        if (n->flags & CCT_SYNC_TOP)
            *(n->kind == OVH_KIND_SYNC ? &counts->syncs : &counts->blocking_copies) += calls;
        if (n->step == CCT_STEP_QUEUE_FULL)
            counts->blocked += calls;
    }
    counts->launches -= counts->captured < counts->launches ? counts->captured : counts->launches;
    counts->blind_launches = outer_runtime > nested ? outer_runtime - nested : 0;
}

void account_classes(const struct model *m, uint32_t role, bool in_unit, struct model_class *classes)
{
    bool *mine = calloc((size_t)m->tree.n * 2, sizeof *mine), *low = mine + m->tree.n;
    struct model_role *r = &m->roles[role];
    if (!mine)
        return;
    for (uint32_t i = 1; i < m->tree.n; i++) {
        const struct cct_node *n = &m->tree.nodes[i];
        mine[i] = i == r->root || (!(n->flags & CCT_ROOT) && mine[n->parent]);
        low[i] = i == r->low_root || (!(n->flags & CCT_ROOT) && low[n->parent]);
        if (!in_unit && low[i])
            r->launches += n->flags & CCT_LAUNCH_TOP ? n->calls : 0;
        if (!mine[i])
            continue;
        classes[n->class_].ticks += in_unit ? n->unit_self : n->self;
        classes[n->class_].calls += calls_of(n, in_unit);
        classes[n->class_].counted += in_unit ? counted_of(m, i)->unit_calls : counted_of(m, i)->calls;
        classes[n->class_].estimated += in_unit ? counted_of(m, i)->unit_ticks : counted_of(m, i)->ticks;
        if (!in_unit) {
            r->python += n->flags & CCT_PYTHON ? n->calls : 0;
            r->launches += n->flags & CCT_LAUNCH_TOP ? n->calls : 0;
        }
    }
    free(mine);
}

struct account {
    struct build *b;
    struct cursor c;
    struct place p;
    struct account_launch launch;
    uint32_t behind; /* launches since the host last waited */
    bool counts;     /* the unit that is open counts */
    bool fine;
};

/* Time of the thread, for the node that it passed in. */
static void charge(struct account *a, uint32_t node, uint64_t ticks)
{
    if (!a->counts)
        return;
    struct model *m = a->b->m;
    m->tree.nodes[node].unit_self += ticks;
    modules_time(&m->modules, ticks);
    if (m->tree.nodes[node].class_ == OVH_CLASS_WAIT)
        modules_waited(&m->modules, ticks);
}

/* A launch that blocked: what it took beyond a usual one is waiting. */
static void charge_queue(struct account *a, uint32_t node, uint64_t ticks)
{
    struct cct *t = &a->b->m->tree;
    const struct blocked_limit *limit = &a->b->limits[t->nodes[node].open];
    if (ticks <= limit->above || a->behind < BLOCKED_BEHIND)
        return;
    uint32_t queue = cct_child(t, node, CCT_STEP_QUEUE_FULL); /* may move the nodes */
    t->nodes[node].unit_self -= ticks - limit->usual;
    t->nodes[queue].unit_self += ticks - limit->usual;
    modules_waited(&a->b->m->modules, ticks - limit->usual);
    t->nodes[queue].unit_calls++;
}

/* A unit that the window's end cuts is none of those that count. */
static void cross(struct account *a, const struct trace_event *ev)
{
    struct model *m = a->b->m;
    uint32_t node;
    size_t window = a->c.window;
    uint64_t ticks = cursor_cross(&a->c, ev->tick, &node);
    if (a->c.window == window)
        return;
    charge(a, node, ticks);
    a->counts = a->p.inside = false;
    place_restart(m);
}

static void leave(struct account *a, const struct trace_event *ev)
{
    struct model *m = a->b->m;
    struct cursor *c = &a->c;
    uint64_t ticks = cursor_time(c, ev->tick);
    charge(a, c->at, ticks);
    backward_leaves(&m->backward, ev);
    modules_leave(&m->modules, ev->depth);
    cursor_before_leave(c);
    bool leaf = c->entered == c->at;
    uint32_t left = cursor_leave(c);
    uint32_t flags = m->tree.nodes[left].flags;
    if (flags & CCT_SYNC_TOP)
        a->behind = 0;
    if (flags & CCT_LAUNCH) {
        a->behind++;
        if (a->counts && leaf && m->tree.nodes[left].open && m->blocked.found)
            charge_queue(a, left, ev->tick - c->entered_tick);
        if ((flags & CCT_LAUNCH_TOP) && a->counts) {
            struct tally_row *row = account_launch(m, &m->unit.counts, &a->launch);
            a->fine &= row != NULL;
            if (row)
                row->unit++;
        }
    }
    if (a->counts && (ev->flags & TRACE_FAILED) && (flags & CCT_HOOKED))
        m->unit.counts.failed++;
    if ((m->tree.nodes[c->at].flags & CCT_LOOP) && cct_in_sequence(&m->tree.nodes[left]) && place_leave(&a->p))
        a->counts = false;
}

static void enter(struct account *a, const struct trace_event *ev)
{
    struct model *m = a->b->m;
    struct cct *t = &m->tree;
    struct cursor *c = &a->c;
    uint32_t parent = c->at;
    uint64_t ticks = cursor_time(c, ev->tick);
    charge(a, parent, ticks);
    struct cct_node *node = cursor_enter(c, ev);
    if (node->flags & CCT_LOOP)
        node->open = PLACE_NEW;
    if ((t->nodes[parent].flags & CCT_LOOP) && cct_in_sequence(node)) {
        size_t unit = place_enter(&a->p, &t->nodes[parent]);
        if (a->p.inside) {
            a->counts = steady_counts(&m->unit.steady, unit, m->units->list[unit].wall);
            if (a->counts && a->p.at_start)
                a->fine &= blocks_unit(&m->blocks, t, m->units->list[unit].wall);
            a->launch = a->p.at_start ? (struct account_launch){0} : a->launch;
        } else {
            a->counts = false;
        }
    }
    if (a->counts && !(ev->flags & TRACE_REOPENED)) {
        node->unit_calls++;
        modules_probe(&m->modules, correct_kind(node), 2);
    }
    backward_entered(&m->backward, &m->modules, ev, a->counts);
}

static void counted(struct account *a, const struct trace_event *ev)
{
    struct model *m = a->b->m;
    uint32_t node = cursor_call(&a->c, ev);
    if (a->counts) {
        m->tree.nodes[node].unit_calls++;
        counted_unit_call(&m->counted, node);
        enum estimate_kind kind;
        uint32_t halves = correct_counted_kind(&m->tree.nodes[node], &kind);
        modules_probe(&m->modules, kind, halves);
    }
}

/* A range is the unit of work: what lies between its two ends counts, to the tick. */
static void range(struct account *a, const struct trace_event *ev)
{
    struct model *m = a->b->m;
    enum range_edge edge = ranges_follow(&m->ranges, ev);
    if (edge == RANGE_NOTHING)
        return;
    uint64_t ticks = cursor_time(&a->c, ev->tick);
    charge(a, a->c.at, ticks);
    place_range(&a->p, edge);
    a->counts = a->p.inside && steady_counts(&m->unit.steady, a->p.next - 1, m->units->list[a->p.next - 1].wall);
    if (a->counts)
        a->fine &= blocks_unit(&m->blocks, &m->tree, m->units->list[a->p.next - 1].wall);
    a->launch = (struct account_launch){0};
}

static void record(struct account *a, const struct trace_event *ev)
{
    uint32_t node, from;
    if (a->b->m->unit.kind == MODEL_UNIT_RANGE && (ev->type == OVH_R_RANGE || cursor_breaks(ev)))
        range(a, ev);
    if (ev->type == OVH_R_CALL) {
        counted(a, ev);
        return;
    }
    if (ev->type == OVH_R_MODULE && ev->depth)
        modules_open(&a->b->m->modules, ev->depth - 1, modules_row(&a->b->m->modules, ev->data[0]), a->counts);
    uint64_t ticks = cursor_record(&a->c, ev, &node, &from);
    struct cct_node *n = a->b->m->tree.nodes;
    if (!a->counts)
        return;
    if (node) {
        if (from)
            n[node].unit_self += ticks;
        else
            charge(a, node, ticks);
        n[node].unit_calls += (n[node].flags & CCT_PSEUDO) && from;
    }
    if (from)
        n[from].unit_self -= ticks;
    if (ev->type == OVH_R_GC && (n[a->c.at].flags & CCT_PSEUDO))
        n[a->c.at].unit_calls++;
    if (ev->type == OVH_R_LAUNCH) {
        a->launch.flags |= ev->arg;
        if (ev->data[0])
            a->launch.kernel = ev->data[0];
    }
    account_record(&a->b->m->unit.counts, &n[a->c.at], ev);
}

static void sum_up(struct model *m)
{
    account_classes(m, m->unit.role, true, m->unit.classes);
    for (int k = 0; k < OVH_CLASSES; k++)
        m->unit.sum += m->unit.classes[k].ticks;
    account_counts(m, true, &m->unit.counts);
}

bool account_pass(struct build *b)
{
    struct model *m = b->m;
    struct account a = {.b = b, .fine = true};
    struct trace_walk w;
    struct trace_event ev;
    uint32_t events = 0;
    const struct trace_thread *thread = place_thread(m);
    cursor_begin(&a.c, &m->tree, &m->windows, &m->roles[m->unit.role]);
    place_begin(&a.p, m);
    ranges_thread(&m->ranges, 0, false);
    blocks_begin(&m->blocks, m->unit.steady.counted);
    trace_walk_begin(&w, m->trace, thread);
    while (trace_walk_next(&w, &ev)) {
        if (ev.kind >= TRACE_RECORD && cursor_breaks(&ev))
            place_restart(m);
        if (cursor_crosses(&a.c, &ev))
            cross(&a, &ev);
        if ((++events & (BUILD_STEP - 1)) == 0)
            build_progress(b, BUILD_STEP);
        if (ev.kind == TRACE_ENTER)
            enter(&a, &ev);
        else if (ev.kind == TRACE_LEAVE)
            leave(&a, &ev);
        else if (ev.kind == TRACE_RECORD)
            record(&a, &ev);
        else if (m->unit.kind == MODEL_UNIT_RANGE)
            range(&a, &ev), a.c.gap = true;
        else
            a.c.gap = true;
    }
    a.fine &= backward_join(&m->backward, &m->modules, m->trace) && !m->modules.no_memory;
    a.fine &= !w.no_memory && !m->tree.no_memory && !m->counted.no_memory;
    trace_walk_end(&w);
    a.fine &= blocks_close(&m->blocks, &m->tree);
    counted_charge(m, true);
    modules_sum_up(&m->modules);
    sum_up(m);
    return a.fine;
}
