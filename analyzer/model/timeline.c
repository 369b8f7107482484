/* SPDX-License-Identifier: Apache-2.0
 *
 * One unit, span by span: the counted unit whose duration is nearest the median.
 */
#include "analyzer/model/build.h"
#include "analyzer/model/cursor.h"
#include "analyzer/model/place.h"

#include <stdlib.h>

static size_t nearest_median(const struct model *m)
{
    const struct steady *s = &m->unit.steady;
    size_t best = s->warmup;
    uint64_t least = UINT64_MAX;
    for (size_t i = s->warmup; i < m->units->n; i++) {
        uint64_t wall = m->units->list[i].wall;
        uint64_t distance = wall > s->median ? wall - s->median : s->median - wall;
        if (steady_counts(s, i, wall) && distance < least) {
            best = i;
            least = distance;
        }
    }
    return best;
}

struct draw {
    struct model_timeline *line;
    const struct model *m;
    struct cursor c;
    struct place p;
    struct ranges ranges;
    size_t room;
    uint32_t depth; /* spans of the unit that are open */
    size_t *open;   /* their numbers */
    size_t open_room;
    bool drawing, over, fine;
    /* Of the open unit, the clock without the probes: */
    uint64_t last;  /* event, tick */
    double clock;   /* from the unit's start */
    double owed;    /* what probes cost that is still to be taken off: no time becomes negative */
};

/* Moves the clock on to `tick`. */
static void pass(struct draw *d, uint64_t tick)
{
    double ticks = tick > d->last ? (double)(tick - d->last) : 0, off = d->owed < ticks ? d->owed : ticks;
    d->clock += ticks - off;
    d->owed -= off;
    d->last = tick > d->last ? tick : d->last;
}

/* A clock reading of a probe: a quarter of its cost comes before each of the two, and a quarter behind. */
static void read_clock(struct draw *d, uint64_t tick, uint32_t node)
{
    double quarter = d->line->corrected ? correct_cost(d->m, correct_kind(&d->m->tree.nodes[node])) / 4 : 0;
    bool starts = tick == d->m->units->list[d->line->unit].start;
    d->owed += starts ? 0 : quarter; /* the unit begins behind it */
    pass(d, tick);
    d->owed += quarter;
}

static uint64_t now(const struct draw *d)
{
    return (uint64_t)(d->clock + 0.5);
}

static void draw(struct draw *d, uint32_t node, bool counted)
{
    struct model_timeline *line = d->line;
    d->fine &= build_grow((void **)&line->spans, line->n, &d->room, sizeof *line->spans);
    if (d->fine)
        line->spans[line->n++] = (struct model_span){
            .node = node, .depth = d->depth, .start = now(d), .counted = counted};
}

static void range(struct draw *d, const struct trace_event *ev)
{
    enum range_edge edge = ranges_follow(&d->ranges, ev);
    if (edge == RANGE_NOTHING)
        return;
    place_range(&d->p, edge);
    d->over |= d->drawing;
    d->drawing = d->p.inside && d->p.next - 1 == d->line->unit;
    d->last = ev->tick;
}

static void record(struct draw *d, const struct trace_event *ev)
{
    uint32_t node, from;
    if (d->m->unit.kind == MODEL_UNIT_RANGE)
        range(d, ev);
    cursor_record(&d->c, ev, &node, &from);
    if (ev->type != OVH_R_CALL || !d->drawing)
        return;
    enum estimate_kind kind;
    node = cursor_call(&d->c, ev);
    uint32_t halves = correct_counted_kind(&d->c.tree->nodes[node], &kind);
    d->owed += d->line->corrected ? correct_cost(d->m, kind) * halves / 2 : 0;
    pass(d, ev->tick);
    draw(d, node, true);
}

static void cross(struct draw *d, const struct trace_event *ev)
{
    uint32_t node;
    size_t window = d->c.window;
    cursor_cross(&d->c, ev->tick, &node);
    if (d->c.window == window)
        return;
    d->over |= d->drawing;
    d->p.inside = false;
    place_restart(d->m);
}

static void enter(struct draw *d, const struct trace_event *ev)
{
    struct cct_node *nodes = d->c.tree->nodes, *parent = &nodes[d->c.at], *node = cursor_enter(&d->c, ev);
    struct model_timeline *line = d->line;
    if (node->flags & CCT_LOOP)
        node->open = PLACE_NEW;
    if ((parent->flags & CCT_LOOP) && cct_in_sequence(node)) {
        size_t unit = place_enter(&d->p, parent);
        d->over |= d->drawing && (!d->p.inside || unit != line->unit);
        bool begins = !d->drawing;
        d->drawing = d->p.inside && unit == line->unit;
        d->last = begins ? ev->tick : d->last;
    }
    if (!d->drawing)
        return;
    d->fine &= build_grow((void **)&d->open, d->depth, &d->open_room, sizeof *d->open);
    if (!d->fine)
        return;
    d->open[d->depth] = line->n;
    read_clock(d, ev->tick, d->c.at);
    draw(d, d->c.at, false);
    d->depth++;
}

static void leave(struct draw *d, const struct trace_event *ev)
{
    cursor_before_leave(&d->c);
    uint32_t left = cursor_leave(&d->c);
    if (d->drawing && d->depth) {
        struct model_span *span = &d->line->spans[d->open[--d->depth]];
        read_clock(d, ev->tick, left);
        span->length = now(d) - span->start;
        span->failed = ev->flags & TRACE_FAILED;
    }
    struct cct_node *nodes = d->c.tree->nodes;
    if ((nodes[d->c.at].flags & CCT_LOOP) && cct_in_sequence(&nodes[left]) && place_leave(&d->p))
        d->over |= d->drawing;
}

bool model_timeline(const struct model *m, bool raw, struct model_timeline *line)
{
    *line = (struct model_timeline){0};
    if (!m->units || !m->units->n)
        return false;
    line->unit = nearest_median(m);
    line->corrected = correct_known(m) && !raw;
    struct cct tree = m->tree; /* same nodes: scratch in them is set anew */
    struct draw d = {.line = line, .m = m, .ranges = ranges_again(&m->ranges), .fine = true};
    struct trace_walk w;
    struct trace_event ev;
    cursor_begin(&d.c, &tree, &m->windows, &m->roles[m->unit.role]);
    place_begin(&d.p, m);
    trace_walk_begin(&w, m->trace, place_thread(m));
    while (d.fine && !d.over && trace_walk_next(&w, &ev)) {
        if (ev.kind >= TRACE_RECORD && cursor_breaks(&ev))
            place_restart(m);
        if (cursor_crosses(&d.c, &ev))
            cross(&d, &ev);
        if (ev.kind == TRACE_ENTER)
            enter(&d, &ev);
        else if (ev.kind == TRACE_LEAVE)
            leave(&d, &ev);
        else if (ev.kind == TRACE_RECORD)
            record(&d, &ev);
    }
    d.fine &= !w.no_memory;
    trace_walk_end(&w);
    pass(&d, m->units->list[line->unit].start + m->units->list[line->unit].wall);
    line->wall = now(&d);
    free(d.open);
    free(d.ranges.open);
    if (!d.fine)
        model_timeline_free(line);
    return d.fine;
}

void model_timeline_free(struct model_timeline *line)
{
    free(line->spans);
    *line = (struct model_timeline){0};
}
