/* SPDX-License-Identifier: Apache-2.0
 *
 * --format json of several traces: the reports, with `comparison` and `gates` beside them (docs/report-json.md).
 */
#include "analyzer/out/compare.h"
#include "analyzer/out/json.h"

static void put(json_t *to, const char *key, json_t *value)
{
    json_object_set_new(to, key, value);
}

static json_t *figure(const struct compare_figure *f)
{
    json_t *j = json_object();
    put(j, "there", json_boolean(f->there));
    put(j, "ns", json_real(f->ns));
    put(j, "low_ns", json_real(f->low));
    put(j, "high_ns", json_real(f->high));
    put(j, "calls", json_real(f->calls));
    return j;
}

static json_t *change(const struct compare_change *d)
{
    json_t *j = json_object();
    put(j, "ns", json_real(d->ns));
    put(j, "low_ns", json_real(d->low));
    put(j, "high_ns", json_real(d->high));
    put(j, "ratio", d->ratio > 0 ? json_real(d->ratio) : json_null());
    put(j, "ratio_low", d->ratio > 0 ? json_real(d->ratio_low) : json_null());
    put(j, "ratio_high", d->ratio > 0 ? json_real(d->ratio_high) : json_null());
    put(j, "verdict", out_json_text(out_compare_word(d->verdict)));
    return j;
}

static json_t *row(const struct compare_row *r, size_t n_sides)
{
    static const char *const kinds[] = {"class", "host", "sum", "wall", "step"};
    json_t *j = json_object(), *figures = json_array(), *changes = json_array();
    put(j, "kind", out_json_text(kinds[r->kind]));
    put(j, "name", out_json_text(r->name));
    put(j, "class", r->class_ ? out_json_text(trace_class_name(r->class_)) : json_null());
    put(j, "file", out_json_text(r->file));
    put(j, "line", json_integer(r->line));
    for (size_t s = 0; s < n_sides; s++) {
        json_array_append_new(figures, figure(&r->figures[s]));
        json_array_append_new(changes, s ? change(&r->changes[s]) : json_null());
    }
    put(j, "sides", figures);
    put(j, "changes", changes);
    return j;
}

static json_t *unlike(unsigned bits)
{
    static const char *const words[] = {"unit", "launches", "gemms", "shapes", "syncs", "copies"};
    json_t *j = json_array();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bits >> i & 1)
            json_array_append_new(j, out_json_text(words[i]));
    return j;
}

static json_t *differences(const struct model *a, const struct model *b)
{
    struct out_difference list[OUT_DIFFERENCES];
    json_t *j = json_array();
    size_t n = out_differences(a, b, list);
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_object();
        put(one, "what", out_json_text(list[i].name));
        put(one, "first", out_json_text(list[i].a));
        put(one, "this", out_json_text(list[i].b));
        json_array_append_new(j, one);
    }
    return j;
}

static json_t *side(const struct out_comparison *c, size_t s)
{
    const struct out_report *r = out_side(c, s);
    const struct model *a = out_side(c, 0)->model;
    json_t *j = json_object(), *files = json_array();
    for (size_t i = 0; i < c->sides[s].n; i++)
        json_array_append_new(files, out_json_text(r[i].file));
    put(j, "files", files);
    put(j, "differs", differences(a, r->model));
    put(j, "unlike", unlike(compare_unlike(a, r->model)));
    return j;
}

static json_t *comparison(const struct out_comparison *c)
{
    json_t *j = json_object(), *sides = json_array(), *rows = json_array();
    for (size_t s = 0; s < c->n_sides; s++)
        json_array_append_new(sides, side(c, s));
    for (size_t i = 0; i < c->compare->n_rows; i++)
        json_array_append_new(rows, row(&c->compare->rows[i], c->n_sides));
    put(j, "intervals", out_json_text(c->compare->ranks ? "runs" : "blocks"));
    put(j, "corrected", json_boolean(c->compare->corrected));
    put(j, "sides", sides);
    put(j, "rows", rows);
    return j;
}

static json_t *gates(const struct out_comparison *c)
{
    static const char *const words[] = {"fine", "worse", "not sure"};
    json_t *j = json_array();
    for (size_t i = 0; i < c->n_gates; i++) {
        const struct gate_answer *a = &c->gates[i];
        json_t *one = json_object();
        put(one, "gate", out_json_text(a->gate->text));
        put(one, "side", json_integer((json_int_t)a->side));
        put(one, "status", out_json_text(words[a->status]));
        put(one, "kind", out_json_text(a->gate->is_count ? "count" : "share"));
        put(one, "value", json_real(a->value));
        put(one, "low", json_real(a->low));
        put(one, "high", json_real(a->high));
        put(one, "limit", json_real(a->limit));
        put(one, "why", out_json_text(a->why));
        json_array_append_new(j, one);
    }
    return j;
}

bool out_compare_json(FILE *to, const struct out_comparison *c, const struct out_options *o)
{
    json_t *all = out_json_reports(c->reports, c->n, o);
    if (c->compare)
        put(all, "comparison", comparison(c));
    put(all, "gates", gates(c));
    return out_json_print(to, all);
}
