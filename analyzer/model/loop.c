/* SPDX-License-Identifier: Apache-2.0
 *
 * Which frame loops, and over what. The outermost repeated call that launches is looked for by following the launches down from the
 * root: where the child that launches most is called again and again by one instance of its parent, the parent is the loop. What
 * repeats in it (one call, or a sequence of calls) is found from the order of its calls, by siblings.c and period.c.
 */
#include "analyzer/model/build.h"

#include <stdlib.h>
#include <string.h>

#define OFTEN 8         /* calls by one instance of the parent: fewer are no sample */
#define SURELY 32       /* so many are the loop, whatever is inside */
#define INNER 100       /* a loop inside that turns so often ... */
#define NEARLY_ALL 0.95 /* ... and makes such a part of the launches goes before one of fewer turns than SURELY */
#define AT_LEAST 2

/* The thread that launches most; one with Python frames goes first: a unit of work is what the program calls, not what autograd's
 * threads make of it. */
static bool find_thread(struct model *m, const uint32_t *role_of)
{
    size_t best = m->n_roles;
    for (size_t r = 0; r < m->n_roles; r++) {
        const struct model_role *a = &m->roles[r];
        if (!a->launches && !m->run_counts.captured)
            continue;
        if (best == m->n_roles || (a->python && a->launches && !m->roles[best].python) ||
            (!a->python == !m->roles[best].python && a->launches > m->roles[best].launches))
            best = r;
    }
    if (best == m->n_roles)
        return false;
    m->unit.role = (uint32_t)best;
    uint64_t most = 0;
    for (size_t i = 0; i < m->trace->n_threads; i++) /* of threads in one role, the busiest */
        if (role_of[i] == best && (!m->unit.thread || m->trace->threads[i].events > most)) {
            m->unit.thread = m->trace->threads[i].number;
            most = m->trace->threads[i].events;
        }
    return true;
}

/* The module's own name is that of its forward: Module._wrapped_call_impl, _call_impl and __call__ only pass on. */
static bool passes_on(const char *name)
{
    return !strncmp(name, "Module._", 8) && strstr(name, "call") != NULL;
}

static bool is_forward(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strcmp(dot, ".forward");
}

/* Below the children of the loop, follow the calls that only pass on to the first forward. */
static void flag_names(struct model *m, uint32_t loop)
{
    struct cct_node *n = m->tree.nodes;
    bool *follow = calloc(m->tree.n, sizeof *follow);
    if (!follow)
        return;
    for (uint32_t i = 1; i < m->tree.n; i++) {
        uint32_t parent = n[i].parent;
        if (!(n[i].flags & CCT_PYTHON) || !(parent == loop || follow[parent]))
            continue;
        const char *name = model_node_name(m, i);
        if (passes_on(name))
            follow[i] = true;
        else if (follow[parent] && is_forward(name))
            n[i].flags |= CCT_NAMES;
    }
    free(follow);
}

/* The child of `node` that launches most. */
static uint32_t heavy_child(const struct cct_order *o, const uint64_t *launches, uint32_t node)
{
    uint32_t heavy = CCT_NONE;
    for (uint32_t c = o->first[node]; c; c = o->sibling[c])
        if (launches[c] && (!heavy || launches[c] > launches[heavy]))
            heavy = c;
    return heavy;
}

/* Instances of a node: a frame that was open before recording began counts as one. */
static uint64_t instances(const struct cct_node *node)
{
    return node->calls ? node->calls : 1;
}

/* How often one instance of `node` calls something that launches as its child `heavy` does. */
static double calls_per_instance(const struct cct *t, const struct cct_order *o, const uint64_t *launches, uint32_t node,
                                 uint32_t heavy, uint64_t parents)
{
    uint64_t calls = t->nodes[heavy].calls;
    if (t->nodes[heavy].flags & CCT_HOOKED) { /* launches at once: all of the frame's own calls are the loop, or nothing is */
        calls = 0;
        for (uint32_t c = o->first[node]; c; c = o->sibling[c])
            calls += launches[c] ? t->nodes[c].calls : 0;
    }
    return (double)calls / (double)parents;
}

/* The loop below `root`, or CCT_NONE: the outermost that turns often. One that turns a few times around another that turns a
 * hundred times and launches nearly all (rounds of a benchmark, not the layers of a network) is passed by. */
static uint32_t search(const struct cct *t, const struct cct_order *o, const uint64_t *launches, uint32_t root, uint32_t threads)
{
    uint32_t rounds = CCT_NONE, fallback = CCT_NONE;
    for (uint32_t node = root, heavy; (heavy = heavy_child(o, launches, node)); node = heavy) {
        double turns = calls_per_instance(t, o, launches, node, heavy, node == root ? threads : instances(&t->nodes[node]));
        if (rounds && turns >= INNER && (double)launches[node] >= NEARLY_ALL * (double)launches[rounds])
            return node;
        if (!rounds && turns >= SURELY)
            return node;
        if (!rounds && turns >= OFTEN)
            rounds = node;
        if (!fallback && turns >= AT_LEAST)
            fallback = node;
        if (t->nodes[heavy].flags & CCT_HOOKED)
            break;
    }
    return rounds ? rounds : fallback;
}

static bool find_by_launches(struct build *b)
{
    struct model *m = b->m;
    struct cct *t = &m->tree;
    struct cct_order o;
    uint64_t *launches = calloc(t->n, sizeof *launches);
    if (!launches || !cct_order(t, &o)) {
        free(launches);
        return false;
    }
    for (uint32_t i = 1; i < t->n; i++)
        launches[i] = t->nodes[i].flags & CCT_LAUNCH_TOP ? t->nodes[i].calls : 0;
    cct_sum(t, launches);
    const struct model_role *role = &m->roles[m->unit.role];
    uint32_t loop = search(t, &o, launches, role->root, role->threads);
    if (loop) {
        t->nodes[loop].flags |= CCT_LOOP;
        for (uint32_t c = o.first[loop]; c; c = o.sibling[c])
            t->nodes[c].flags |= launches[c] ? CCT_UNIT : 0;
        flag_names(m, loop);
        m->unit.kind = MODEL_UNIT_CALL;
    } else {
        m->unit.why = MODEL_NO_REPETITION;
    }
    free(o.first);
    free(launches);
    return true;
}

/* `name` is `wanted`, or ends with ".wanted". */
static bool matches(const char *name, const char *wanted)
{
    size_t n = strlen(name), w = strlen(wanted);
    return n >= w && !strcmp(name + n - w, wanted) && (n == w || name[n - w - 1] == '.');
}

/* Outermost calls of that name, on the thread that makes most of them. */
static bool find_by_name(struct build *b)
{
    struct model *m = b->m;
    struct cct_node *n = m->tree.nodes;
    uint32_t *role = calloc(m->tree.n, sizeof *role); /* + 1; 0: below a match */
    uint64_t *calls = calloc(m->n_roles + 1, sizeof *calls);
    bool *hit = calloc(m->tree.n, sizeof *hit);
    size_t best = 0;
    bool fine = role && calls && hit;
    for (uint32_t r = 0; fine && r < m->n_roles; r++)
        role[m->roles[r].root] = r + 1;
    for (uint32_t i = 1; fine && i < m->tree.n; i++) {
        if (!(n[i].flags & (CCT_ROOT | CCT_PSEUDO)))
            role[i] = hit[n[i].parent] ? 0 : role[n[i].parent];
        hit[i] = role[i] && !(n[i].flags & CCT_ROOT) && matches(model_node_name(m, i), b->o->unit);
        if (hit[i] && (calls[role[i] - 1] += n[i].calls) > calls[best])
            best = role[i] - 1;
    }
    if (fine && calls[best]) {
        m->unit.kind = MODEL_UNIT_NAMED;
        m->unit.role = (uint32_t)best;
        m->unit.thread = 0;
        for (uint32_t i = 1; i < m->tree.n; i++)
            if (hit[i] && role[i] == best + 1) {
                n[i].flags |= CCT_UNIT;
                n[n[i].parent].flags |= CCT_LOOP;
            }
        uint64_t most = 0;
        for (size_t i = 0; i < m->trace->n_threads; i++)
            if (b->role_of[i] == best && (!m->unit.thread || m->trace->threads[i].events > most)) {
                m->unit.thread = m->trace->threads[i].number;
                most = m->trace->threads[i].events;
            }
    } else if (fine) {
        m->unit.why = MODEL_NO_SUCH_NAME;
        m->unit.asked = b->o->unit;
    }
    free(role);
    free(calls);
    free(hit);
    return fine;
}

/* Ranges of that name, on the thread that sets most of them. */
static void find_by_range(struct build *b)
{
    struct model *m = b->m;
    size_t best = 0;
    for (size_t i = 1; i < m->trace->n_threads; i++)
        best = m->ranges.unit_calls[i] > m->ranges.unit_calls[best] ? i : best;
    if (!m->trace->n_threads || !m->ranges.unit_calls[best]) {
        m->unit.why = MODEL_NO_SUCH_NAME;
        m->unit.asked = b->o->unit;
        return;
    }
    m->unit.kind = MODEL_UNIT_RANGE;
    m->unit.role = b->role_of[best];
    m->unit.thread = m->trace->threads[best].number;
}

bool loop_find(struct build *b)
{
    struct model *m = b->m;
    if (m->tree.n <= 1u + 2 * m->n_roles) {
        m->unit.why = MODEL_NO_EVENTS;
        return true;
    }
    if (b->o->unit && ranges_is_unit(b->o->unit)) {
        find_by_range(b);
        return true;
    }
    if (b->o->unit)
        return find_by_name(b);
    if (!find_thread(m, b->role_of)) {
        m->unit.why = MODEL_NO_LAUNCHES;
        return true;
    }
    return find_by_launches(b);
}
