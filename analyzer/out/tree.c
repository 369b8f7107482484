/* SPDX-License-Identifier: Apache-2.0
 *
 * --tree: the calling-context tree of one unit (mean of the units that count), or of the whole run where there is no unit.
 */
#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"

#include <stdlib.h>

struct walk {
    FILE *to;
    const struct model *m;
    const struct cct_order *order;
    const uint64_t *total; /* ticks with all below */
    bool in_unit;
    bool raw; /* times as measured */
    uint64_t units;
    double ns;
};

/* Self time: of the whole run, or of the units that count. */
static uint64_t self_of(const struct walk *w, uint32_t node)
{
    return w->in_unit ? correct_self(w->m, node, w->raw) : w->m->tree.nodes[node].self;
}

static struct out_figure time_of(const struct walk *w, uint64_t ticks)
{
    double ns = (double)ticks * w->ns / (double)w->units;
    return w->in_unit ? out_us(ns) : out_ms(ns);
}

static bool shown(const struct walk *w, uint32_t node)
{
    const struct cct_node *n = &w->m->tree.nodes[node];
    return w->total[node] || (w->in_unit ? n->unit_calls : n->calls);
}

static void line(const struct walk *w, uint32_t node, unsigned depth)
{
    const struct cct_node *n = &w->m->tree.nodes[node];
    uint32_t at, caller_line;
    const char *file = model_node_file(w->m, node, &at), *caller = NULL;
    if (n->flags & (CCT_HOOKED | CCT_PSEUDO))
        caller = model_node_caller(w->m, node, &caller_line);
    fprintf(w->to, "  %10s  %10s  %7s  %-8s  %*s", time_of(w, w->total[node]).text,
            time_of(w, self_of(w, node)).text, out_mean(w->in_unit ? n->unit_calls : n->calls, w->units).text,
            trace_class_name(n->class_), (int)depth * 2, "");
    out_safe(w->to, model_node_name(w->m, node));
    if (*file)
        fprintf(w->to, "  %s", out_source(file, at).text);
    if (caller)
        fprintf(w->to, "  from %s", out_source(caller, caller_line).text);
    putc('\n', w->to);
}

/* Depth first without recursion: a recursive program makes deep trees. */
static void below(const struct walk *w, uint32_t top, unsigned depth)
{
    uint32_t node = top;
    while (node) {
        uint32_t next = CCT_NONE;
        if (shown(w, node)) {
            line(w, node, depth);
            next = w->order->first[node];
            depth += next != CCT_NONE;
        }
        while (!next && node != top) {
            next = w->order->sibling[node];
            if (!next) {
                node = w->m->tree.nodes[node].parent;
                depth--;
            }
        }
        node = next;
    }
}

static void tree(const struct walk *w)
{
    const struct model *m = w->m;
    fprintf(w->to, "  %10s  %10s  %7s  %-8s  %s\n", w->in_unit ? "us" : "ms", "self", "calls", "class", "step");
    for (uint32_t i = 1; i < m->tree.n; i++) {
        bool all = !w->in_unit || m->unit.kind == MODEL_UNIT_RANGE; /* a range begins and ends anywhere: from the root on */
        if (all && (m->tree.nodes[i].flags & CCT_ROOT) && w->total[i])
            below(w, i, 0);
        if (!w->in_unit || !(m->tree.nodes[i].flags & CCT_LOOP) || !shown(w, i))
            continue;
        for (uint32_t c = w->order->first[i]; c; c = w->order->sibling[c])
            below(w, c, 0);
        fprintf(w->to, "  %10s  %10s  %7s  %-8s  (between calls, in ", "", time_of(w, self_of(w, i)).text, "",
                trace_class_name(m->tree.nodes[i].class_));
        out_safe(w->to, model_node_name(m, i));
        fputs(")\n", w->to);
    }
}

static bool one_tree(FILE *to, const struct model *m, const struct out_options *o)
{
    struct cct_order order;
    uint64_t *total = calloc(m->tree.n, sizeof *total);
    bool in_unit = m->unit.kind != MODEL_UNIT_NONE;
    if (!total || !cct_order(&m->tree, &order)) {
        free(total);
        return false;
    }
    struct walk w = {to, m, &order, total, in_unit, o->raw, in_unit ? m->unit.steady.counted : 1, m->ns};
    for (uint32_t i = 1; i < m->tree.n; i++)
        total[i] = self_of(&w, i);
    cct_sum(&m->tree, total);
    tree(&w);
    free(total);
    free(order.first);
    return true;
}

static bool write_tree(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++) {
        if (i)
            putc('\n', to);
        out_head(to, &reports[i], o);
        putc('\n', to);
        if (reports[i].model->unit.kind != MODEL_UNIT_NONE)
            out_unit_head(to, reports[i].model, o);
        else
            out_no_unit(to, reports[i].model);
        putc('\n', to);
        fine = one_tree(to, reports[i].model, o);
    }
    return fine && !ferror(to);
}

const struct out_ops out_tree = {"tree", "the calling-context tree of one unit of work", write_tree};
