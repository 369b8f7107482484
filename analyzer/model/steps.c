/* SPDX-License-Identifier: Apache-2.0
 *
 * The costliest steps of a unit: self times by function, all contexts together.
 */
#include "analyzer/model/build.h"

#include <stdlib.h>

struct item {
    uint64_t key; /* step; pseudo-steps by what they happened in; 0: the loop's own frame */
    uint32_t node;
};

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int by_self(const void *a, const void *b)
{
    const struct model_step *x = a, *y = b;
    if (x->corrected != y->corrected)
        return x->corrected > y->corrected ? -1 : 1;
    if (x->self != y->self)
        return x->self > y->self ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* The waiting part of a step (below a synchronisation) is a row of its own: its class differs. */
static uint64_t key_of(const struct model *m, uint32_t node)
{
    const struct cct_node *n = &m->tree.nodes[node];
    if (n->flags & (CCT_LOOP | CCT_ROOT))
        return 0;
    uint64_t step = n->step;
    if (n->flags & CCT_PSEUDO)
        step = (uint64_t)m->tree.nodes[n->parent].step << 32 | n->step;
    return step << 1 | (n->class_ == OVH_CLASS_WAIT);
}

static void describe(const struct model *m, struct model_step *s, uint32_t node)
{
    const struct cct_node *n = &m->tree.nodes[node];
    *s = (struct model_step){.class_ = n->class_};
    s->file = model_node_file(m, node, &s->line);
    if (n->flags & (CCT_LOOP | CCT_ROOT)) {
        s->name = "(between calls)";
        return;
    }
    s->step = n->step;
    s->name = model_node_name(m, node);
    if (n->flags & (CCT_HOOKED | CCT_PSEUDO))
        s->caller_file = model_node_caller(m, node, &s->caller_line);
}

/* By another of its nodes: the sums stay. */
static void describe_again(const struct model *m, struct model_step *s, uint32_t node)
{
    struct model_step sum = *s;
    describe(m, s, node);
    s->self = sum.self;
    s->calls = sum.calls;
    s->counted = sum.counted;
    s->estimated = sum.estimated;
    s->corrected = sum.corrected;
    s->node = sum.node;
    s->blocks = sum.blocks;
}

bool steps_make(struct model *m)
{
    struct item *items = malloc((size_t)m->tree.n * sizeof *items);
    size_t n = 0, rows = 0;
    if (!items)
        return false;
    for (uint32_t i = 1; i < m->tree.n; i++)
        if (m->tree.nodes[i].unit_self || m->tree.nodes[i].unit_calls)
            items[n++] = (struct item){key_of(m, i), i};
    qsort(items, n, sizeof *items, by_key);
    struct model_step *steps = calloc(n + 1, sizeof *steps);
    size_t distinct = 1;
    for (size_t i = 1; i < n; i++)
        distinct += items[i].key != items[i - 1].key;
    m->blocks.steps = calloc(distinct, BLOCKS_MOST * sizeof *m->blocks.steps);
    uint64_t heaviest = 0;
    for (size_t i = 0; steps && m->blocks.steps && i < n; i++) {
        const struct cct_node *node = &m->tree.nodes[items[i].node];
        if (i == 0 || items[i].key != items[i - 1].key) {
            describe(m, &steps[rows], items[i].node);
            steps[rows].node = items[i].node;
            steps[rows].blocks = (uint32_t)rows;
            rows++;
            heaviest = node->unit_calls;
        } else if (node->unit_calls > heaviest) { /* the commonest context says where it is called from */
            describe_again(m, &steps[rows - 1], items[i].node);
            heaviest = node->unit_calls;
        }
        blocks_add(&m->blocks, items[i].node, m->blocks.steps + (rows - 1) * BLOCKS_MOST);
        steps[rows - 1].self += node->unit_self;
        steps[rows - 1].calls += node->unit_calls;
        steps[rows - 1].corrected += correct_known(m) ? m->correction.self[items[i].node] : 0;
        steps[rows - 1].counted += counted_of(m, items[i].node)->unit_calls;
        steps[rows - 1].estimated += counted_of(m, items[i].node)->unit_ticks;
    }
    free(items);
    blocks_drop(&m->blocks);
    if (!steps || !m->blocks.steps) {
        free(steps);
        return false;
    }
    qsort(steps, rows, sizeof *steps, by_self);
    m->unit.steps = steps;
    m->unit.n_steps = rows;
    return true;
}
