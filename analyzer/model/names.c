/* SPDX-License-Identifier: Apache-2.0
 *
 * Names, files and lines of nodes and of the unit of work.
 */
#include "analyzer/model/build.h"
#include "analyzer/model/period.h"
#include "analyzer/trace/lines.h"

#include <string.h>

static bool step_of(const struct model *m, uint32_t node, struct trace_def *def)
{
    const struct cct_node *n = &m->tree.nodes[node];
    return !(n->flags & (CCT_ROOT | CCT_PSEUDO | CCT_UNKNOWN)) && trace_find(m->trace, OVH_D_STEP, n->step, def);
}

const char *model_node_name(const struct model *m, uint32_t node)
{
    const struct cct_node *n = &m->tree.nodes[node];
    struct trace_def def;
    if (n->flags & CCT_ROOT)
        return "(outside recorded calls)";
    if (n->flags & CCT_PSEUDO)
        return n->step == CCT_STEP_GC        ? "(garbage collector)"
               : n->step == CCT_STEP_OFF_CPU ? "(off the CPU)"
                                             : "(launch queue full)";
    return step_of(m, node, &def) ? def.step.name : "(unknown step)";
}

const char *model_node_file(const struct model *m, uint32_t node, uint32_t *line)
{
    struct trace_def def;
    *line = 0;
    if (!step_of(m, node, &def))
        return "";
    *line = def.step.first_line;
    return def.step.file;
}

const char *model_node_caller(const struct model *m, uint32_t node, uint32_t *line)
{
    const struct cct_node *n = &m->tree.nodes[node], *parent = &m->tree.nodes[cct_caller(&m->tree, n)];
    struct trace_def step, lines;
    *line = 0;
    while (!n->at && !(parent->flags & (CCT_ROOT | CCT_PYTHON)) && n->parent) { /* called by a hooked call: where that was called */
        n = parent;
        parent = &m->tree.nodes[cct_caller(&m->tree, n)];
    }
    if (!(parent->flags & CCT_PYTHON) || !trace_find(m->trace, OVH_D_STEP, parent->step, &step))
        return NULL;
    if (n->at && trace_find(m->trace, OVH_D_LINES, parent->step, &lines))
        *line = trace_line(lines.lines.format, lines.lines.first_line, lines.lines.table, lines.lines.bytes, (n->at - 1) * 2);
    if (!*line)
        *line = step.step.first_line;
    return step.step.file;
}

/* The node whose child the sibling `symbol` is. */
static uint32_t loop_of(const struct model *m, uint32_t symbol)
{
    uint32_t node = symbol & ~PERIOD_LAUNCHES;
    while (node && !(m->tree.nodes[node].flags & CCT_LOOP))
        node = m->tree.nodes[node].parent;
    return node;
}

static void name_call(struct model *m, uint32_t node)
{
    struct model_unit *u = &m->unit;
    uint32_t call = node;
    u->name = model_node_name(m, node);
    u->file = model_node_file(m, node, &u->line);
    while (m->tree.nodes[call].parent && !(m->tree.nodes[m->tree.nodes[call].parent].flags & CCT_LOOP))
        call = m->tree.nodes[call].parent;
    if (call != node)
        u->called_as = model_node_name(m, call);
}

void names_range(struct model *m, const char *unit)
{
    struct model_unit *u = &m->unit;
    u->name = strchr(unit, ':') + 1;
    u->file = u->loop_name = u->loop_file = "";
    u->n_parts = 1;
}

void names_unit(struct model *m, const uint32_t *pattern, size_t n)
{
    struct model_unit *u = &m->unit;
    uint32_t loop = loop_of(m, pattern[0]);
    u->loop_name = model_node_name(m, loop);
    u->loop_file = model_node_file(m, loop, &u->loop_line);
    u->n_parts = n;
    size_t python = 0;
    for (size_t i = 0; i < n; i++)
        python += (m->tree.nodes[pattern[i] & ~PERIOD_LAUNCHES].flags & CCT_PYTHON) != 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = pattern[i] & ~PERIOD_LAUNCHES;
        if (python && !(m->tree.nodes[node].flags & CCT_PYTHON))
            continue;
        if (u->n_named < MODEL_PARTS)
            u->parts[u->n_named] = model_node_name(m, node);
        u->n_named++;
    }
    if (n == 1) {
        name_call(m, pattern[0] & ~PERIOD_LAUNCHES);
    } else {
        u->name = u->loop_name;
        u->file = u->loop_file;
        u->line = u->loop_line;
    }
}
