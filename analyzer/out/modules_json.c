/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/modules.h"

static json_t *ns_of(const struct model *m, uint64_t ticks)
{
    return m->ns == 1 ? json_integer((json_int_t)ticks) : json_real((double)ticks * m->ns);
}

static void put_number(json_t *to, const char *key, uint64_t n)
{
    json_object_set_new(to, key, json_integer((json_int_t)n));
}

static json_t *row_json(const struct model *m, const struct module_row *row)
{
    json_t *j = json_object();
    if (row->path) {
        json_object_set_new(j, "path", out_json_text(row->path));
        json_object_set_new(j, "name", out_json_text(row->name));
        json_object_set_new(j, "unnamed", json_boolean(row->unnamed));
    }
    json_object_set_new(j, "type", out_json_text(row->type));
    put_number(j, "calls", row->calls);
    json_object_set_new(j, "ns", ns_of(m, row->total.ticks));
    json_object_set_new(j, "self_ns", ns_of(m, row->self.ticks));
    if (correct_known(m)) {
        json_object_set_new(j, "corrected_ns", ns_of(m, row->corrected_total));
        json_object_set_new(j, "corrected_self_ns", ns_of(m, row->corrected_self));
    }
    put_number(j, "backward_calls", row->backward_calls);
    json_object_set_new(j, "backward_ns", ns_of(m, row->backward));
    return j;
}

static json_t *rows_json(const struct model *m, const struct module_row *rows, size_t first, size_t n)
{
    json_t *j = json_array();
    for (size_t i = first; i < n; i++)
        if (rows[i].calls || rows[i].total.ticks)
            json_array_append_new(j, row_json(m, &rows[i]));
    return j;
}

static json_t *backward_json(const struct model *m)
{
    const struct backward *b = &m->backward;
    json_t *j = json_object();
    put_number(j, "calls", b->n);
    put_number(j, "calls_not_divided", b->undivided);
    json_object_set_new(j, "ns", ns_of(m, m->modules.rows[MODULES_BACKWARD].total.ticks));
    json_object_set_new(j, "self_ns", ns_of(m, m->modules.rows[MODULES_BACKWARD].self.ticks));
    if (correct_known(m))
        json_object_set_new(j, "corrected_self_ns", ns_of(m, m->modules.rows[MODULES_BACKWARD].corrected_self));
    json_object_set_new(j, "engine_ns", ns_of(m, b->engine));
    json_object_set_new(j, "hand_over_ns", ns_of(m, b->hand_over));
    json_object_set_new(j, "divided_ns", ns_of(m, b->divided));
    return j;
}

json_t *out_modules_json(const struct model *m)
{
    const struct modules *ms = &m->modules;
    if (!ms->any)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "rows", rows_json(m, ms->rows, MODULES_FIRST, ms->n));
    json_object_set_new(j, "types", rows_json(m, ms->types, 0, ms->n_types));
    json_object_set_new(j, "outside_ns", ns_of(m, ms->rows[MODULES_OUTSIDE].self.ticks));
    if (correct_known(m))
        json_object_set_new(j, "corrected_outside_ns", ns_of(m, ms->rows[MODULES_OUTSIDE].corrected_self));
    json_object_set_new(j, "backward", backward_json(m));
    return j;
}
