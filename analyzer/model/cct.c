/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/cct.h"

#include <stdlib.h>
#include <string.h>

#define STEP_NONE UINT32_MAX /* no event carries it: ids have 30 bits */

static bool grow_nodes(struct cct *t)
{
    if (t->n < t->room)
        return true;
    uint32_t room = t->room ? t->room * 2 : 1024;
    if (room < t->room)
        return false;
    struct cct_node *nodes = realloc(t->nodes, (size_t)room * sizeof *nodes);
    if (!nodes)
        return false;
    t->nodes = nodes;
    t->room = room;
    return true;
}

static uint32_t hash(uint32_t parent, uint32_t step)
{
    uint64_t x = ((uint64_t)parent << 32 | step) * 0x9e3779b97f4a7c15u; /* Fibonacci hashing */
    return (uint32_t)(x >> 32);
}

static void put_slot(struct cct *t, uint32_t node)
{
    uint32_t mask = t->n_slots - 1, i = hash(t->nodes[node].parent, t->nodes[node].step) & mask;
    while (t->slots[i])
        i = (i + 1) & mask;
    t->slots[i] = node;
}

/* Keeps at least half of the slots empty. */
static bool grow_slots(struct cct *t)
{
    if (t->n * 2 < t->n_slots)
        return true;
    uint32_t n = t->n_slots ? t->n_slots * 2 : 4096;
    uint32_t *slots = n > t->n_slots ? calloc(n, sizeof *slots) : NULL;
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->n_slots = n;
    for (uint32_t i = 1; i < t->n; i++)
        if (!(t->nodes[i].flags & CCT_ROOT))
            put_slot(t, i);
    return true;
}

bool cct_begin(struct cct *t, const struct trace *trace)
{
    memset(t, 0, sizeof *t);
    t->trace = trace;
    if (!grow_nodes(t) || !grow_slots(t))
        return false;
    t->nodes[0] = (struct cct_node){.step = STEP_NONE, .class_ = OVH_CLASS_OTHER};
    t->n = 1;
    return true;
}

void cct_end(struct cct *t)
{
    free(t->nodes);
    free(t->slots);
    memset(t, 0, sizeof *t);
}

uint32_t cct_root(struct cct *t)
{
    if (!grow_nodes(t)) {
        t->no_memory = true;
        return CCT_NONE;
    }
    t->nodes[t->n] = (struct cct_node){.step = STEP_NONE, .class_ = OVH_CLASS_OTHER, .flags = CCT_ROOT};
    return t->n++;
}

#define KIND(k) (1u << OVH_KIND_##k)

static const struct {
    uint32_t kinds; /* a span of one of these kinds ... */
    uint16_t flag;  /* ... with none of them above it has this flag */
} tops[] = {
    {KIND(LAUNCH), CCT_LAUNCH_TOP},
    {KIND(ALLOC), CCT_ALLOC_TOP},
    {KIND(COPY) | KIND(COPY_SYNC), CCT_COPY_TOP},
    {KIND(SYNC) | KIND(COPY_SYNC), CCT_SYNC_TOP},
    {KIND(HEURISTIC), CCT_HEURISTIC_TOP},
    {KIND(GEMM), CCT_GEMM_TOP},
};

static void describe_pseudo(struct cct_node *node, const struct cct_node *parent)
{
    node->class_ = node->step == CCT_STEP_GC ? OVH_CLASS_GC : node->step == CCT_STEP_OFF_CPU ? OVH_CLASS_OFF_CPU : OVH_CLASS_WAIT;
    node->flags = CCT_PSEUDO;
    node->kinds = parent->kinds;
}

/* What the step's definition and the node above say about a new node. */
static void describe(const struct cct *t, struct cct_node *node, const struct cct_node *parent)
{
    struct trace_def def;
    node->class_ = OVH_CLASS_OTHER;
    if (!trace_find(t->trace, OVH_D_STEP, node->step, &def)) {
        node->flags |= CCT_UNKNOWN;
    } else {
        if (def.step.class_ && def.step.class_ < OVH_CLASSES)
            node->class_ = (uint8_t)def.step.class_;
        if (def.step.kind < OVH_KINDS)
            node->kind = (uint8_t)def.step.kind;
    }
    uint32_t mine = 1u << node->kind;
    node->kinds = parent->kinds | mine;
    if (node->class_ == OVH_CLASS_PYTHON)
        node->flags |= CCT_PYTHON;
    else if (node->class_ != OVH_CLASS_NATIVE && !(node->flags & CCT_UNKNOWN))
        node->flags |= CCT_HOOKED;
    if (node->kind == OVH_KIND_LAUNCH)
        node->flags |= CCT_LAUNCH;
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        if ((mine & tops[i].kinds) && !(parent->kinds & tops[i].kinds))
            node->flags |= tops[i].flag;
    if (node->kinds & (KIND(SYNC) | KIND(COPY_SYNC)))
        node->class_ = OVH_CLASS_WAIT;
}

static uint32_t make_child(struct cct *t, uint32_t parent, uint32_t step)
{
    if (!grow_nodes(t) || !grow_slots(t)) {
        t->no_memory = true;
        return CCT_NONE;
    }
    uint32_t node = t->n++;
    t->nodes[node] = (struct cct_node){.parent = parent, .step = step};
    if (step >= CCT_STEP_GC)
        describe_pseudo(&t->nodes[node], &t->nodes[parent]);
    else
        describe(t, &t->nodes[node], &t->nodes[parent]);
    put_slot(t, node);
    return node;
}

uint32_t cct_child_find(struct cct *t, uint32_t parent, uint32_t step)
{
    uint32_t mask = t->n_slots - 1, i = hash(parent, step) & mask, node;
    while ((node = t->slots[i]) && (t->nodes[node].step != step || t->nodes[node].parent != parent))
        i = (i + 1) & mask;
    if (!node)
        node = make_child(t, parent, step);
    uint32_t last = t->nodes[parent].last;
    if (last && node)
        t->nodes[last].next = node;
    if (parent)
        t->nodes[parent].last = node;
    return node;
}

bool cct_order(const struct cct *t, struct cct_order *o)
{
    o->first = calloc((size_t)t->n * 2, sizeof *o->first);
    if (!o->first)
        return false;
    o->sibling = o->first + t->n;
    for (uint32_t i = t->n; i-- > 1;) { /* from the back: lists come out in the order of numbers */
        if (t->nodes[i].flags & CCT_ROOT)
            continue;
        o->sibling[i] = o->first[t->nodes[i].parent];
        o->first[t->nodes[i].parent] = i;
    }
    return true;
}

void cct_sum(const struct cct *t, uint64_t *sum)
{
    for (uint32_t i = t->n; i-- > 1;)
        if (!(t->nodes[i].flags & CCT_ROOT))
            sum[t->nodes[i].parent] += sum[i];
}
