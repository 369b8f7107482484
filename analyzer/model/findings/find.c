/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/findings/findings.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct model *m;
    uint64_t *hosts;              /* by node: unit_self of it and all below, without waiting */
    uint64_t *corrected;          /* likewise, without what the probes cost */
    uint64_t *waits;              /* waiting */
    bool *hit;                    /* by node: it or one above it matches the rule in work */
    struct finding_place *places; /* of that rule: room for one per node */
    size_t n_places;
};

/* Does one of the parts in `list` ("a|b") occur in the name? */
static bool occurs(const char *list, const char *name)
{
    char part[128];
    for (const char *at = list; at && *at;) {
        size_t n = strcspn(at, "|");
        if (n < sizeof part) {
            memcpy(part, at, n);
            part[n] = 0;
            if (strstr(name, part))
                return true;
        }
        at += n + (at[n] == '|');
    }
    return false;
}

/* One of the parts is the whole name. */
static bool is_one(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == length && !strncmp(at, name, length))
            return true;
    return false;
}

/* An operator of torch calls: its frame is one of torch.nn's, or a C function of torch stands between. */
static bool of_torch(const struct model *m, uint32_t node)
{
    const struct cct_node *nodes = m->tree.nodes;
    uint32_t line, at = nodes[node].parent;
    for (; nodes[at].class_ == OVH_CLASS_NATIVE && !(nodes[at].flags & CCT_ROOT); at = nodes[at].parent) {
        const char *file = model_node_file(m, at, &line), *name = model_node_name(m, at);
        if (!strncmp(name, "torch.", 6) || strstr(name, "torch._C") || strstr(file, "libtorch"))
            return true;
    }
    if (!(nodes[at].flags & CCT_PYTHON))
        return false;
    const char *file = model_node_file(m, at, &line);
    return strstr(file, "/torch/nn/") || strstr(file, "/torch/autograd/") || strstr(file, "/torch/_ops");
}

static bool matches(const struct model *m, const struct finding_rule *r, uint32_t node)
{
    const struct cct_node *n = &m->tree.nodes[node];
    const char *name;
    if (n->flags & (CCT_ROOT | CCT_PSEUDO))
        return false;
    if (r->kinds ? !(n->flags & CCT_HOOKED) || !(r->kinds >> n->kind & 1) : !(n->flags & CCT_PYTHON))
        return false;
    name = model_node_name(m, node);
    if (r->names && !(r->kinds ? occurs(r->names, name) : is_one(r->names, name)))
        return false;
    return !occurs(r->not_in, name) && !(r->kinds && !r->through_torch && of_torch(m, node));
}

static int by_cost(const void *a, const void *b)
{
    const struct finding_place *x = a, *y = b;
    return x->corrected > y->corrected ? -1 : x->corrected < y->corrected;
}

/* Where a call is made: its line where that is known, else the frame's. */
static void add_place(struct search *s, uint32_t node)
{
    const struct cct_node *n = &s->m->tree.nodes[node];
    uint32_t caller = cct_caller(&s->m->tree, n), line = 0;
    const char *file = n->flags & CCT_HOOKED ? model_node_caller(s->m, node, &line) : NULL;
    struct finding_place p = {.name = model_node_name(s->m, caller),
                              .file = file,
                              .line = line,
                              .calls = n->unit_calls,
                              .ticks = s->hosts[node],
                              .corrected = s->corrected[node]};
    if (!file)
        p.file = model_node_file(s->m, caller, &p.line);
    for (size_t i = 0; i < s->n_places; i++)
        if (s->places[i].line == p.line && !strcmp(s->places[i].file, p.file) && !strcmp(s->places[i].name, p.name)) {
            s->places[i].calls += p.calls;
            s->places[i].ticks += p.ticks;
            s->places[i].corrected += p.corrected;
            return;
        }
    s->places[s->n_places++] = p;
}

static struct finding look(struct search *s, const struct finding_rule *r)
{
    const struct model *m = s->m;
    struct finding f = {.rule = r, .step = ""};
    uint64_t most = 0;
    s->n_places = 0;
    memset(s->hit, 0, m->tree.n * sizeof *s->hit);
    for (uint32_t i = 1; i < m->tree.n; i++) {
        const struct cct_node *n = &m->tree.nodes[i];
        bool above = !(n->flags & CCT_ROOT) && s->hit[n->parent];
        s->hit[i] = above || matches(m, r, i);
        if (above || !s->hit[i] || !n->unit_calls)
            continue;
        f.calls += n->unit_calls;
        f.wait += s->waits[i];
        f.ticks += s->hosts[i];
        f.corrected += s->corrected[i];
        if (n->unit_calls > most) {
            most = n->unit_calls;
            f.step = model_node_name(m, i);
        }
        add_place(s, i);
    }
    qsort(s->places, s->n_places, sizeof *s->places, by_cost);
    f.n_places = s->n_places < FINDING_PLACES ? s->n_places : FINDING_PLACES;
    memcpy(f.places, s->places, f.n_places * sizeof *f.places);
    return f;
}

static bool pays(const struct finding *f, const struct model *m, double least)
{
    double units = (double)m->unit.steady.counted, calls = (double)f->calls / units;
    double launches = (double)m->unit.counts.launches / units, host = 0;
    for (uint32_t k = 1; k < OVH_CLASSES; k++)
        host += model_class_apart(k) ? 0 : (double)(correct_known(m) ? m->unit.classes[k].corrected : m->unit.classes[k].ticks);
    if (!f->calls || calls < f->rule->per_unit || calls < f->rule->per_launch * launches)
        return false;
    return (double)(f->corrected + f->wait) >= least * host;
}

static int by_ticks(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    uint64_t s = x->corrected + x->wait, t = y->corrected + y->wait;
    return s > t ? -1 : s < t;
}

static bool begin(struct search *s)
{
    const struct cct *t = &s->m->tree;
    s->hosts = calloc(t->n, sizeof *s->hosts);
    s->corrected = calloc(t->n, sizeof *s->corrected);
    s->waits = calloc(t->n, sizeof *s->waits);
    s->hit = calloc(t->n, sizeof *s->hit);
    s->places = calloc(t->n, sizeof *s->places);
    if (!s->hosts || !s->corrected || !s->waits || !s->hit || !s->places)
        return false;
    for (uint32_t i = 1; i < t->n; i++) {
        bool waits = t->nodes[i].class_ == OVH_CLASS_WAIT;
        s->hosts[i] = waits ? 0 : t->nodes[i].unit_self;
        s->corrected[i] = waits ? 0 : correct_self(s->m, i, false);
        s->waits[i] = waits ? t->nodes[i].unit_self : 0;
    }
    cct_sum(t, s->hosts);
    cct_sum(t, s->corrected);
    cct_sum(t, s->waits);
    return true;
}

bool findings_make(struct findings *f, const struct model *m, double least)
{
    struct search s = {.m = m};
    size_t n = 0;
    *f = (struct findings){0};
    if (m->unit.kind == MODEL_UNIT_NONE || !m->unit.steady.counted)
        return true;
    while (finding_rules[n].id)
        n++;
    f->list = calloc(n, sizeof *f->list);
    bool fine = f->list && begin(&s);
    for (size_t i = 0; fine && i < n; i++) {
        struct finding one = look(&s, &finding_rules[i]);
        if (pays(&one, m, least))
            f->list[f->n++] = one;
    }
    if (fine)
        qsort(f->list, f->n, sizeof *f->list, by_ticks);
    free(s.hosts);
    free(s.corrected);
    free(s.waits);
    free(s.hit);
    free(s.places);
    return fine;
}

void findings_end(struct findings *f)
{
    free(f->list);
}
