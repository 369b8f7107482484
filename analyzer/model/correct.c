/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/correct.h"

#include "analyzer/model/launches.h"
#include "analyzer/model/model.h"

#include <stdlib.h>

#define WAITING_MOST 0.5  /* of the time of all periods: with more, what is left is no measure of the host's work */
#define INSIDE 0.5        /* share of a probe's cost that lies inside its own span; the rest is its caller's */
#define PRIOR_LEAST 20.0  /* ns */
#define MANY 20u          /* periods of a level, for pauses to be told from the others */

void correct_free(struct correction *c)
{
    free(c->self);
    *c = (struct correction){0};
}

bool correct_known(const struct model *m)
{
    return m->correction.self != NULL;
}

uint64_t correct_self(const struct model *m, uint32_t node, bool raw)
{
    return correct_known(m) && !raw ? m->correction.self[node] : m->tree.nodes[node].unit_self;
}

enum estimate_kind correct_kind(const struct cct_node *n)
{
    if (n->flags & CCT_PYTHON)
        return ESTIMATE_FRAME;
    if (!(n->flags & (CCT_HOOKED | CCT_PSEUDO | CCT_UNKNOWN | CCT_ROOT)))
        return ESTIMATE_NATIVE;
    return (n->flags & CCT_HOOKED) && !OVH_KIND_AT_EVERY_LEVEL(n->kind) ? ESTIMATE_CALL : ESTIMATE_KINDS;
}

uint32_t correct_counted_kind(const struct cct_node *n, enum estimate_kind *kind)
{
    *kind = counted_function(n->class_) ? correct_kind(n) : ESTIMATE_COUNTED;
    if (*kind == ESTIMATE_FRAME || *kind == ESTIMATE_NATIVE)
        return 1;
    *kind = ESTIMATE_COUNTED;
    return 2;
}

double correct_cost(const struct model *m, enum estimate_kind kind)
{
    return kind < ESTIMATE_KINDS && correct_known(m) ? m->correction.estimate.cost[kind].value : 0;
}

/* Probes of a node that lower levels do not have. */
static uint64_t timed_probes(const struct model *m, uint32_t node, enum estimate_kind *kind)
{
    const struct cct_node *n = &m->tree.nodes[node];
    *kind = correct_kind(n);
    if (*kind < ESTIMATE_KINDS)
        return n->unit_calls - counted_of(m, node)->unit_calls;
    *kind = ESTIMATE_CALL;
    return 0;
}

/* The node's counted calls as probes, and of which kind. */
static double counted_probes(const struct model *m, uint32_t node, enum estimate_kind *kind)
{
    return (double)counted_of(m, node)->unit_calls * correct_counted_kind(&m->tree.nodes[node], kind) / 2;
}

static void count_probes(struct model *m, struct estimate_probe *probes)
{
    static const uint32_t probe[ESTIMATE_KINDS] = {OVH_PROBE_CALL, 0, OVH_PROBE_FRAME, OVH_PROBE_SLOT};
    double units = m->unit.steady.counted ? (double)m->unit.steady.counted : 1;
    for (uint32_t i = 1; i < m->tree.n; i++) {
        enum estimate_kind kind = ESTIMATE_CALL, of_counted;
        uint64_t timed = timed_probes(m, i, &kind);
        double counted = counted_probes(m, i, &of_counted);
        probes[kind].per_unit += (double)timed / units;
        probes[of_counted].per_unit += counted / units;
    }
    for (size_t p = 0; p < m->n_probes; p++)
        for (int k = 0; k < ESTIMATE_KINDS; k++)
            if (probe[k] && m->probes[p].probe == probe[k])
                probes[k].prior = m->probes[p].median_ns / m->ns;
    probes[ESTIMATE_COUNTED].prior = probes[ESTIMATE_CALL].prior / 2; /* it writes one word, and reads no clock */
    for (int k = 0; k < ESTIMATE_KINDS; k++)
        m->correction.probes[k] = probes[k].per_unit;
}

/* Durations of one level that are no rare pause, as for the units themselves. UINT64_MAX: all. */
static bool pause_limit(const struct launch_periods *p, uint32_t level, uint64_t *above)
{
    uint64_t *all = malloc((p->n + 1) * sizeof *all);
    struct steady s;
    size_t n = 0;
    if (!all)
        return false;
    for (size_t i = 0; i < p->n_windows; i++)
        for (size_t k = 0; p->windows[i].level == level && k < p->windows[i].n; k++)
            all[n++] = p->periods[p->windows[i].first + k];
    *above = UINT64_MAX;
    bool fine = n < MANY || steady_find(&s, all, n, 0);
    if (fine && n >= MANY)
        *above = s.pause_above;
    free(all);
    return fine;
}

static struct estimate_window mean_of(const struct launch_periods *p, size_t window, const uint64_t *above)
{
    const struct launch_window *x = &p->windows[window];
    struct estimate_window w = {.level = x->level};
    double sum = 0;
    for (size_t k = 0; k < x->n; k++) {
        uint32_t ticks = p->periods[x->first + k];
        if (ticks > above[x->level])
            continue;
        sum += ticks;
        w.n++;
    }
    w.mean = w.n ? sum / (double)w.n : 0;
    return w;
}

static bool estimate(struct model *m, const struct launch_periods *p)
{
    struct estimate_probe probes[ESTIMATE_KINDS] = {{0}};
    struct estimate *e = &m->correction.estimate;
    uint64_t above[WINDOWS_LEVELS];
    struct estimate_window *w = calloc(p->n_windows + 1, sizeof *w);
    bool fine = w != NULL;
    for (uint32_t level = 0; fine && level < WINDOWS_LEVELS; level++)
        fine = pause_limit(p, level, &above[level]);
    for (size_t i = 0; fine && i < p->n_windows; i++)
        w[i] = mean_of(p, i, above);
    count_probes(m, probes);
    if (fine)
        estimate_make(e, w, p->n_windows, m->windows.top, probes, PRIOR_LEAST / m->ns);
    free(w);
    e->waiting = p->ticks > 0 ? p->waiting / p->ticks : 0;
    if (m->windows.n && m->unit.kind != MODEL_UNIT_NONE && !p->unit)
        e->why = ESTIMATE_NO_UNITS;
    else if (e->why == ESTIMATE_FINE && e->waiting > WAITING_MOST)
        e->why = ESTIMATE_WAITING;
    return fine && e->why != ESTIMATE_NO_MEMORY;
}

/* What the probes of a node's calls cost, in the node itself and in the one above. What is more than a node has is taken from the
 * one above. */
static void take_off(const struct model *m, double *self)
{
    const struct estimate_interval *costs = m->correction.estimate.cost;
    for (uint32_t i = m->tree.n; i-- > 1;) {
        const struct cct_node *n = &m->tree.nodes[i];
        enum estimate_kind kind = ESTIMATE_CALL, of_counted;
        double all = (double)timed_probes(m, i, &kind) * costs[kind].value, counted = counted_probes(m, i, &of_counted);
        double above = all * (1 - INSIDE) + counted * costs[of_counted].value;
        self[i] -= all * INSIDE;
        if (self[i] < 0) {
            above -= self[i];
            self[i] = 0;
        }
        if (!(n->flags & CCT_ROOT))
            self[n->parent] -= above;
    }
}

/* Brings the tree to the corrected total. Waiting is none of the host's work: it stays what it was. */
static void bring_to_total(struct model *m, const double *self)
{
    struct correction *c = &m->correction;
    double host = 0, waiting = 0, total = c->estimate.corrected.value * (double)m->unit.steady.counted;
    for (uint32_t i = 1; i < m->tree.n; i++)
        *(m->tree.nodes[i].class_ == OVH_CLASS_WAIT ? &waiting : &host) += self[i];
    c->scale = host > 0 ? total / host : 1;
    for (uint32_t i = 1; i < m->tree.n; i++) {
        const struct cct_node *n = &m->tree.nodes[i];
        c->self[i] = (uint64_t)(self[i] * (n->class_ == OVH_CLASS_WAIT ? 1 : c->scale) + 0.5);
        c->sum += c->self[i];
        m->unit.classes[n->class_].corrected += c->self[i];
    }
}

/* Host's part of a module's time without the probes in it, ticks. */
static double module_host(const struct model *m, const struct module_time *t)
{
    double host = (double)t->ticks - (double)t->waiting;
    for (int k = 0; k < ESTIMATE_KINDS; k++)
        host -= (double)t->halves[k] / 2 * m->correction.estimate.cost[k].value;
    return host > 0 ? host : 0;
}

static void correct_row(const struct model *m, struct module_row *row, double scale)
{
    row->corrected_self = (uint64_t)(module_host(m, &row->self) * scale + 0.5) + row->self.waiting;
    row->corrected_total = (uint64_t)(module_host(m, &row->total) * scale + 0.5) + row->total.waiting;
}

/* Rows by module, brought to the same total as the tree. */
static void correct_modules(struct model *m)
{
    struct modules *ms = &m->modules;
    double host = 0, total = m->correction.estimate.corrected.value * (double)m->unit.steady.counted;
    for (size_t i = 0; i < ms->n; i++)
        host += module_host(m, &ms->rows[i].self);
    double scale = host > 0 ? total / host : 1;
    for (size_t i = 0; ms->any && i < ms->n; i++)
        correct_row(m, &ms->rows[i], scale);
    for (size_t i = 0; ms->any && i < ms->n_types; i++)
        correct_row(m, &ms->types[i], scale);
}

static bool apply(struct model *m)
{
    double *self = calloc(m->tree.n, sizeof *self);
    m->correction.self = calloc(m->tree.n, sizeof *m->correction.self);
    if (self && m->correction.self) {
        for (uint32_t i = 1; i < m->tree.n; i++)
            self[i] = (double)(int64_t)m->tree.nodes[i].unit_self;
        take_off(m, self);
        bring_to_total(m, self);
        correct_modules(m);
    }
    bool fine = self && m->correction.self;
    free(self);
    return fine;
}

bool correct_make(struct model *m, const struct siblings *s)
{
    struct launch_periods p;
    bool fine = launches_find(&p, m, s);
    m->correction.unit_launches = p.unit;
    m->correction.unit_share = p.share;
    m->correction.backlog = p.backlog;
    m->correction.events = p.events;
    fine = fine && estimate(m, &p);
    launches_free(&p);
    return fine && (m->correction.estimate.why != ESTIMATE_FINE || apply(m));
}
