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
};

static void draw(struct draw *d, uint64_t tick, uint32_t node, bool counted)
{
    struct model_timeline *line = d->line;
    d->fine &= build_grow((void **)&line->spans, line->n, &d->room, sizeof *line->spans);
    if (d->fine)
        line->spans[line->n++] = (struct model_span){
            .node = node, .depth = d->depth, .start = tick - d->m->units->list[line->unit].start, .counted = counted};
}

static void range(struct draw *d, const struct trace_event *ev)
{
    enum range_edge edge = ranges_follow(&d->ranges, ev);
    if (edge == RANGE_NOTHING)
        return;
    place_range(&d->p, edge);
    d->over |= d->drawing;
    d->drawing = d->p.inside && d->p.next - 1 == d->line->unit;
}

static void record(struct draw *d, const struct trace_event *ev)
{
    uint32_t node, from;
    if (d->m->unit.kind == MODEL_UNIT_RANGE)
        range(d, ev);
    cursor_record(&d->c, ev, &node, &from);
    if (ev->type == OVH_R_CALL && d->drawing)
        draw(d, ev->tick, cursor_call(&d->c, ev), true);
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
        d->drawing = d->p.inside && unit == line->unit;
    }
    if (!d->drawing)
        return;
    d->fine &= build_grow((void **)&d->open, d->depth, &d->open_room, sizeof *d->open);
    if (!d->fine)
        return;
    d->open[d->depth] = line->n;
    draw(d, ev->tick, d->c.at, false);
    d->depth++;
}

static void leave(struct draw *d, const struct trace_event *ev)
{
    cursor_before_leave(&d->c);
    uint32_t left = cursor_leave(&d->c);
    if (d->drawing && d->depth) {
        struct model_span *span = &d->line->spans[d->open[--d->depth]];
        span->length = ev->tick - d->m->units->list[d->line->unit].start - span->start;
        span->failed = ev->flags & TRACE_FAILED;
    }
    struct cct_node *nodes = d->c.tree->nodes;
    if ((nodes[d->c.at].flags & CCT_LOOP) && cct_in_sequence(&nodes[left]) && place_leave(&d->p))
        d->over |= d->drawing;
}

bool model_timeline(const struct model *m, struct model_timeline *line)
{
    *line = (struct model_timeline){0};
    if (!m->units || !m->units->n)
        return false;
    line->unit = nearest_median(m);
    line->wall = m->units->list[line->unit].wall;
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
