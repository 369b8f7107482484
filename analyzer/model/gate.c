/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count_name {
    const char *name;
    uint64_t (*of)(const struct model *m);
};

#define COUNT(function, expression)                                                                                                \
    static uint64_t function(const struct model *m)                                                                                \
    {                                                                                                                              \
        const struct model_counts *c = &m->unit.counts;                                                                            \
        return expression;                                                                                                         \
    }
COUNT(launches, c->launches)
COUNT(graphs, c->graphs)
COUNT(heuristics, c->heuristics)
COUNT(gemms, c->gemms)
COUNT(syncs, c->syncs + c->blocking_copies)
COUNT(allocations, c->allocations)
COUNT(copies, c->copies)
COUNT(failed, c->failed)
#undef COUNT

static uint64_t python_calls(const struct model *m)
{
    return m->unit.classes[OVH_CLASS_PYTHON].calls;
}

static uint64_t native_calls(const struct model *m)
{
    return m->unit.classes[OVH_CLASS_NATIVE].calls;
}

static uint64_t cuda_calls(const struct model *m)
{
    uint64_t n = 0;
    for (int k = OVH_CLASS_CUBLAS; k <= OVH_CLASS_WAIT; k++)
        n += m->unit.classes[k].calls;
    return n;
}

static const struct count_name counts[] = {
    {"launches", launches},
    {"graphs", graphs},
    {"heuristics", heuristics},
    {"gemms", gemms},
    {"syncs", syncs},
    {"allocs", allocations},
    {"copies", copies},
    {"failed", failed},
    {"python-calls", python_calls},
    {"native-calls", native_calls},
    {"cuda-calls", cuda_calls},
};

static const struct count_name *count_of(const char *name)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(counts[i].name, name))
            return &counts[i];
    return NULL;
}

static const char *after(const char *text, const char *start)
{
    size_t n = strlen(start);
    return strncmp(text, start, n) ? NULL : text + n;
}

/* A number, and what follows it. */
static bool number(const char *text, double *value, const char *behind)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && !errno && isfinite(*value) && !strcmp(end, behind);
}

static bool known_class(const char *name)
{
    for (uint32_t k = 1; k < OVH_CLASSES; k++)
        if (!strcmp(trace_class_name(k), name))
            return true;
    return false;
}

static const char *parse_count(struct gate *g, const char *name, const char *value)
{
    const char *step = after(name, "calls:");
    g->is_count = true;
    g->of_step = step != NULL;
    if (!step && !count_of(name))
        return "names no row (host, sum, wall, class:NAME, step:NAME) and no count (launches, graphs, heuristics, gemms, syncs, "
               "allocs, "
               "copies, failed, python-calls, native-calls, cuda-calls, calls:STEP)";
    g->base = !strcmp(value, "base");
    if (!g->base && (!number(value, &g->limit, "") || g->limit < 0))
        return "has no number per unit of work behind its sign, nor the word base";
    g->name = strdup(step ? step : name);
    return NULL;
}

static const char *parse_row(struct gate *g, const char *name, const char *value)
{
    const char *class_ = after(name, "class:"), *step = after(name, "step:");
    g->limit /= 100;
    if (class_ && !known_class(class_))
        return "names a class that there is none of";
    if (!class_ && !step && strcmp(name, "host") && strcmp(name, "sum") && strcmp(name, "wall"))
        return "limits the growth in % of something that is no row: host, sum, wall, class:NAME or step:NAME";
    if (g->limit <= -1)
        return "asks for less than nothing";
    g->kind = class_                  ? COMPARE_CLASS
              : step                  ? COMPARE_STEP
              : !strcmp(name, "host") ? COMPARE_HOST
              : !strcmp(name, "sum")  ? COMPARE_SUM
                                      : COMPARE_WALL;
    g->name = strdup(class_ ? class_ : step ? step : name);
    return NULL;
}

/* NULL, or what is wrong with the term. */
static const char *parse(struct gate *g)
{
    const char *value = g->text;
    char name[512] = "host";
    size_t n = strlen(g->text), at = n;
    while (at && g->text[at - 1] != '=')
        at--;
    if (n >= sizeof name)
        return "is too long";
    if (at) {
        bool most = at > 1 && g->text[at - 2] == '<';
        g->relation = most ? GATE_AT_MOST : GATE_EQUAL;
        snprintf(name, sizeof name, "%.*s", (int)(at - 1 - most), g->text);
        value = g->text + at;
    }
    const char *why = number(value, &g->limit, "%") ? parse_row(g, name, value)
                      : at                          ? parse_count(g, name, value)
                                                    : "is neither a share (5%) nor NAME=VALUE nor NAME<=VALUE";
    return why ? why : g->name ? NULL : "does not fit into memory";
}

bool gates_add(struct gates *g, const char *specification, char *why, size_t room)
{
    for (const char *at = specification, *end;; at = end + 1) {
        end = at + strcspn(at, ",");
        struct gate *list = realloc(g->list, (g->n + 1) * sizeof *list), one = {.text = strndup(at, (size_t)(end - at))};
        const char *wrong = list && one.text ? parse(&one) : "does not fit into memory";
        g->list = list ? list : g->list;
        if (wrong) {
            snprintf(why, room, "\"%s\" %s", one.text ? one.text : specification, wrong);
            free(one.text);
            free(one.name);
            return false;
        }
        g->list[g->n++] = one;
        if (!*end)
            return true;
    }
}

void gates_end(struct gates *g)
{
    for (size_t i = 0; i < g->n; i++) {
        free(g->list[i].text);
        free(g->list[i].name);
    }
    free(g->list);
}

bool gates_need_base(const struct gates *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (!g->list[i].is_count || g->list[i].base)
            return true;
    return false;
}

/* Per unit, in one run. */
static double count_in(const struct gate *g, const struct model *m)
{
    uint64_t n = 0;
    if (!g->of_step)
        n = count_of(g->name)->of(m);
    for (size_t i = 0; g->of_step && i < m->unit.n_steps; i++)
        n += strcmp(m->unit.steps[i].name, g->name) ? 0 : m->unit.steps[i].calls;
    return (double)n / (double)m->unit.steady.counted;
}

/* Which counts a trace cannot tell. */
static const char *blind(const struct gate *g, const struct model *m)
{
    if (!g->of_step && !strcmp(g->name, "native-calls") && !m->native_recorded)
        return "C functions called from Python were not recorded";
    if (!g->of_step && !strcmp(g->name, "python-calls") && !m->unit.complete_python)
        return "Python frames were not recorded";
    return NULL;
}

static void judge_count(const struct gate *g, const struct compare_side *sides, size_t side, struct gate_answer *a)
{
    const struct compare_side *s = &sides[side];
    double worst = -1;
    a->limit = g->limit;
    for (size_t i = 0; g->base && i < sides[0].n; i++)
        a->limit = fmax(i ? a->limit : 0, count_in(g, sides[0].models[i]));
    for (size_t i = 0; i < s->n; i++) {
        double n = count_in(g, s->models[i]);
        double over = g->relation == GATE_EQUAL ? fabs(n - a->limit) : n - a->limit;
        if (over > worst || i == 0) {
            worst = over;
            a->value = a->low = a->high = n;
        }
        a->why = a->why ? a->why : blind(g, s->models[i]);
    }
    a->status = a->why ? GATE_UNSURE : worst > 1e-9 ? GATE_WORSE : GATE_FINE;
}

/* Of several rows with the name: the worst. */
static bool judge_row(const struct gate *g, const struct compare *c, size_t side, struct gate_answer *a)
{
    static const int rank[] = {[GATE_FINE] = 0, [GATE_UNSURE] = 1, [GATE_WORSE] = 2};
    bool found = false;
    a->limit = g->limit;
    for (size_t i = 0; i < c->n_rows; i++) {
        const struct compare_row *row = &c->rows[i];
        const struct compare_change *d = &row->changes[side];
        if (row->kind != g->kind || ((g->kind == COMPARE_CLASS || g->kind == COMPARE_STEP) && strcmp(row->name, g->name)))
            continue;
        if (!row->figures[0].there && !row->figures[side].there)
            continue;
        enum gate_status status = d->ratio_low - 1 > g->limit ? GATE_WORSE : d->ratio_high - 1 > g->limit ? GATE_UNSURE : GATE_FINE;
        const char *why = d->verdict == COMPARE_NEW ? "it is new" : d->verdict == COMPARE_GONE ? "it is gone" : NULL;
        if (!(row->figures[0].ns > 0) && row->figures[side].ns > 0) {
            status = GATE_UNSURE;
            why = why ? why : "it took no time on the first side";
        }
        status = d->verdict == COMPARE_NEW ? GATE_WORSE : d->verdict == COMPARE_GONE ? GATE_FINE : status;
        if (found && rank[status] <= rank[a->status])
            continue;
        found = true;
        *a = (struct gate_answer){g, side, status, d->ratio - 1, d->ratio_low - 1, d->ratio_high - 1, g->limit, why};
    }
    if (!found && g->kind == COMPARE_CLASS) { /* there is such a class, and nobody spent time in it */
        *a = (struct gate_answer){.gate = g, .side = side, .limit = g->limit, .why = "no run has any"};
        return true;
    }
    return found;
}

bool gates_judge(const struct gates *g, const struct compare *compare, const struct compare_side *sides, size_t n,
                 struct gate_answer *answers, char *why, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t side = n > 1 ? 1 : 0; side < n; side++) {
            struct gate_answer *a = &answers[at++];
            *a = (struct gate_answer){.gate = &g->list[i], .side = side};
            if (g->list[i].is_count)
                judge_count(&g->list[i], sides, side, a);
            else if (!judge_row(&g->list[i], compare, side, a)) {
                snprintf(why, room, "\"%s\": neither side has a %s named %s", g->list[i].text,
                         g->list[i].kind == COMPARE_STEP ? "step" : "class", g->list[i].name);
                return false;
            }
        }
    return true;
}
