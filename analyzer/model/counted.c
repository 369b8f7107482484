/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/counted.h"

#include "analyzer/model/build.h"

#include <stdlib.h>
#include <string.h>

#define USUAL 0.95 /* of the timed spans: the longest are left out, they were interrupted or were a first call */

void counted_end(struct counted *c)
{
    free(c->nodes);
    free(c->steps);
    *c = (struct counted){0};
}

/* NULL: no memory. */
static struct counted_node *at_node(struct counted *c, uint32_t node)
{
    if (node < c->room)
        return &c->nodes[node];
    size_t room = c->room ? c->room : 1024;
    while (room <= node)
        room *= 2;
    struct counted_node *nodes = reallocarray(c->nodes, room, sizeof *nodes);
    if (!nodes) {
        c->no_memory = true;
        return NULL;
    }
    memset(nodes + c->room, 0, (room - c->room) * sizeof *nodes);
    c->nodes = nodes;
    c->room = room;
    return &nodes[node];
}

/* Such steps are some dozens, and a node asks once. False: no memory. */
static bool find_row(struct counted *c, struct counted_node *node, uint32_t step)
{
    size_t i = 0;
    if (node->row)
        return true;
    while (i < c->n_steps && c->steps[i].id != step)
        i++;
    if (i == c->n_steps) {
        if (!build_grow((void **)&c->steps, c->n_steps, &c->steps_room, sizeof *c->steps)) {
            c->no_memory = true;
            return false;
        }
        c->steps[c->n_steps++] = (struct counted_step){.id = step};
    }
    node->row = (uint32_t)i + 1;
    return true;
}

void counted_call(struct counted *c, uint32_t node, uint32_t step)
{
    struct counted_node *n = at_node(c, node);
    if (!n || !find_row(c, n, step))
        return;
    n->calls++;
    c->steps[n->row - 1].calls++;
}

void counted_unit_call(struct counted *c, uint32_t node)
{
    struct counted_node *n = at_node(c, node);
    if (n)
        n->unit_calls++;
}

void counted_enter(struct counted *c, uint32_t node, uint32_t step, uint64_t tick)
{
    struct counted_node *n = at_node(c, node);
    if (n && find_row(c, n, step))
        n->begin = tick;
}

static void add_timed(struct counted_step *s, uint64_t ticks)
{
    unsigned bin = blocked_bin(ticks);
    s->timed++;
    s->n[bin]++;
    s->sum[bin] += ticks;
}

void counted_leave(struct counted *c, uint32_t node, uint64_t tick)
{
    struct counted_node *n = at_node(c, node);
    if (n && n->row && n->begin != COUNTED_UNKNOWN)
        add_timed(&c->steps[n->row - 1], tick - n->begin);
}

void counted_leaf(struct counted *c, uint32_t node, uint32_t step, uint64_t ticks)
{
    struct counted_node *n = at_node(c, node);
    if (n && find_row(c, n, step))
        add_timed(&c->steps[n->row - 1], ticks);
}

/* Mean of the timed spans, without those in bins (quarters of a power of two) beyond the one in which the 95th percentile lies. */
static double usual_ticks(const struct counted_step *s)
{
    uint64_t n = 0, sum = 0;
    for (unsigned bin = 0; bin < BLOCKED_BINS && (double)n < USUAL * (double)s->timed; bin++) {
        n += s->n[bin];
        sum += s->sum[bin];
    }
    return n ? (double)sum / (double)n : 0;
}

void counted_estimate(struct model *m)
{
    struct counted *c = &m->counted;
    double clock = 0; /* ticks: of the two readings around a timed span, the time of about one lies inside */
    for (size_t i = 0; i < m->n_probes; i++)
        if (m->probes[i].probe == OVH_PROBE_CLOCK)
            clock = m->probes[i].median_ns / m->ns;
    for (size_t i = 0; i < c->n_steps; i++) {
        double ticks = usual_ticks(&c->steps[i]) - clock;
        c->steps[i].ticks = ticks > 0 ? ticks : 0;
    }
    for (uint32_t i = 1; i < m->tree.n && i < c->room; i++)
        if (c->nodes[i].row && c->steps[c->nodes[i].row - 1].calls)
            m->tree.nodes[i].flags |= CCT_COUNTED;
}

void counted_charge(struct model *m, bool in_unit)
{
    struct counted *c = &m->counted;
    for (uint32_t i = m->tree.n < c->room ? m->tree.n : (uint32_t)c->room; i-- > 1;) { /* from below: nobody gives on what it got */
        struct counted_node *n = &c->nodes[i];
        struct cct_node *node = &m->tree.nodes[i], *above = &m->tree.nodes[node->parent];
        uint64_t calls = in_unit ? n->unit_calls : n->calls;
        if (!calls || !n->row)
            continue;
        uint64_t *from = in_unit ? &above->unit_self : &above->self, *to = in_unit ? &node->unit_self : &node->self;
        uint64_t ticks = (uint64_t)((double)calls * c->steps[n->row - 1].ticks + 0.5), most = (int64_t)*from > 0 ? *from : 0;
        ticks = ticks < most ? ticks : most;
        *from -= ticks;
        *to += ticks;
        *(in_unit ? &n->unit_ticks : &n->ticks) = ticks;
    }
}

const struct counted_node *counted_of(const struct model *m, uint32_t node)
{
    static const struct counted_node none;
    return node < m->counted.room ? &m->counted.nodes[node] : &none;
}

struct counted_sum counted_sum(const struct model *m, bool in_unit)
{
    struct counted_sum s = {0};
    for (uint32_t i = 1; i < m->tree.n; i++) {
        const struct counted_node *n = counted_of(m, i);
        const struct cct_node *node = &m->tree.nodes[i];
        if (!(node->flags & CCT_COUNTED))
            continue;
        uint64_t counted = in_unit ? n->unit_calls : n->calls;
        s.calls += in_unit ? node->unit_calls : node->calls;
        s.counted += counted;
        s.blind += m->counted.steps[n->row - 1].timed ? 0 : counted;
        s.ticks += in_unit ? n->unit_ticks : n->ticks;
    }
    return s;
}
