/* SPDX-License-Identifier: Apache-2.0
 *
 * --format json: docs/report-json.md is the schema, with its version. Times are integers or reals of ns.
 */
#include "analyzer/out/json.h"

#include "analyzer/model/rows.h"
#include "analyzer/out/demangle.h"
#include "analyzer/out/findings.h"
#include "analyzer/out/head.h"
#include "analyzer/out/json_estimate.h"
#include "analyzer/out/modules.h"

#include <string.h>

#define SCHEMA_VERSION 1

json_t *out_json_text(const char *s)
{
    json_t *j = json_string(s);
    if (j || !s)
        return j ? j : json_null();
    char clean[1024];
    size_t i = 0;
    for (; s[i] && i + 1 < sizeof clean; i++)
        clean[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
    clean[i] = 0;
    return json_string(clean);
}

static json_t *text(const char *s)
{
    return out_json_text(s);
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *ns_of(const struct model *m, uint64_t ticks)
{
    return m->ns == 1 ? number(ticks) : json_real((double)ticks * m->ns);
}

static void put(json_t *to, const char *key, json_t *value)
{
    json_object_set_new(to, key, value);
}

static json_t *values(const struct model *m)
{
    json_t *j = json_object();
    struct trace_defs defs;
    struct trace_def def;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_VALUE)
            json_object_set_new(j, def.value.key, text(def.value.value));
    return j;
}

static json_t *notes(const struct model *m)
{
    json_t *j = json_array();
    struct trace_defs defs;
    struct trace_def def;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_NOTE)
            json_array_append_new(j, text(def.note.text));
    return j;
}

static json_t *blind_spots(const struct model *m)
{
    json_t *j = json_array();
    struct trace_defs defs;
    struct trace_def def, object;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);)
        if (out_is_blind_spot(&def)) {
            json_t *one = json_object();
            bool known = trace_find(m->trace, OVH_D_OBJECT, def.coverage.object, &object);
            put(one, "object", known ? text(object.object.path) : json_null());
            put(one, "reason", number(def.coverage.reason));
            put(one, "seen", number(def.coverage.seen));
            put(one, "unseen", number(def.coverage.unseen));
            put(one, "text", text(def.coverage.text));
            json_array_append_new(j, one);
        }
    return j;
}

static json_t *native_coverage_of(const struct model_native *n)
{
    if (!n->checked)
        return json_null();
    json_t *j = json_object(), *names = json_object();
    put(j, "slot", number(n->slot));
    put(j, "tp_call", number(n->tp_call));
    put(j, "pointer", number(n->pointer));
    put(j, "unseen", number(n->unseen));
    for (size_t i = 0; i < n->n; i++)
        put(names, n->unseen_names[i].name, number(n->unseen_names[i].calls));
    put(j, "unseen_names", names);
    return j;
}

static json_t *quality(const struct model *m)
{
    const struct model_quality *q = &m->quality;
    json_t *j = json_object();
    put(j, "degraded", json_boolean(q->degraded));
    put(j, "ended", json_boolean(q->ended));
    put(j, "lost", number(q->lost));
    put(j, "damages", number(q->damages));
    put(j, "missing_chunks", number(q->missing_chunks));
    put(j, "unknown_records", number(q->unknown_records));
    put(j, "unresolved", number(q->unresolved));
    put(j, "incomplete", number(q->incomplete));
    put(j, "open_frames", number(q->open_frames));
    put(j, "cut", number(q->cut));
    put(j, "unwound", number(q->unwound));
    put(j, "orphans", number(q->orphans));
    put(j, "stepped_back", number(q->stepped_back));
    return j;
}

/* Per unit: the interval of the corrected time where there is one, as the tables show it. */
static void put_interval(json_t *j, const char *key, const struct model *m, struct row_value v, uint64_t ticks)
{
    double low, high;
    if (row_interval(m, v, (double)ticks * m->ns / (double)m->unit.steady.counted, &low, &high))
        put(j, key, json_pack("[ff]", low, high));
}

static json_t *class_intervals(const struct model *m)
{
    const struct model_class *c = m->unit.classes;
    bool corrected = correct_known(m);
    json_t *j = json_object();
    for (uint32_t k = 1; k < OVH_CLASSES; k++)
        put_interval(j, trace_class_name(k), m, row_of_class(m, k, corrected), corrected ? c[k].corrected : c[k].ticks);
    return j;
}

static json_t *classes(const struct model *m, const struct model_class *c, bool in_unit)
{
    json_t *j = json_object();
    for (uint32_t k = 1; k < OVH_CLASSES; k++) {
        if (!c[k].ticks && !c[k].calls)
            continue;
        json_t *one = json_object();
        put(one, "ns", ns_of(m, c[k].ticks));
        put(one, "calls", number(c[k].calls));
        put(one, "calls_timed", number(c[k].calls - c[k].counted));
        put(one, "estimated_ns", ns_of(m, c[k].estimated));
        if (in_unit && correct_known(m))
            put(one, "corrected_ns", ns_of(m, c[k].corrected));
        put(j, trace_class_name(k), one);
    }
    return j;
}

static json_t *gemm(const struct model_counts *c)
{
    const struct model_gemm *g = &c->largest;
    if (!(c->flops > 0))
        return json_null();
    json_t *j = json_object();
    put(j, "m", number(g->m));
    put(j, "n", number(g->n));
    put(j, "k", number(g->k));
    put(j, "batch", number(g->batch));
    return j;
}

static json_t *counts(const struct model_counts *c)
{
    static const char *const directions[] = {"h2h", "h2d", "d2h", "d2d", "default"};
    json_t *j = json_object(), *bytes = json_object();
    put(j, "launches", number(c->launches));
    put(j, "runtime_launches", number(c->runtime_launches));
    put(j, "driver_launches", number(c->driver_launches));
    put(j, "blind_launches", number(c->blind_launches));
    put(j, "captured", number(c->captured));
    put(j, "graphs", number(c->graphs));
    put(j, "host_functions", number(c->host_functions));
    put(j, "blocked", number(c->blocked));
    put(j, "heuristics", number(c->heuristics));
    put(j, "gemms", number(c->gemms));
    put(j, "syncs", number(c->syncs));
    put(j, "blocking_copies", number(c->blocking_copies));
    put(j, "allocations", number(c->allocations));
    put(j, "allocated_bytes", number(c->allocated_bytes));
    put(j, "copies", number(c->copies));
    for (int i = 0; i < 5; i++)
        put(bytes, directions[i], number(c->copied_bytes[i]));
    put(j, "copied_bytes", bytes);
    put(j, "failed", number(c->failed));
    put(j, "flops", json_real(c->flops));
    put(j, "largest_gemm", gemm(c));
    return j;
}

static json_t *state_calls(const struct model *m, bool in_unit)
{
    struct counted_sum s = counted_sum(m, in_unit);
    json_t *j = json_object();
    put(j, "calls", number(s.calls));
    put(j, "calls_timed", number(s.calls - s.counted));
    put(j, "calls_without_time", number(s.blind));
    put(j, "estimated_ns", ns_of(m, s.ticks));
    return j;
}

static json_t *kernels(const struct model *m)
{
    json_t *j = json_array();
    for (size_t i = 0; i < m->kernels.n; i++) {
        struct trace_def def;
        const struct tally_row *row = &m->kernels.rows[i];
        json_t *one = json_object();
        bool named = row->id && trace_find(m->trace, OVH_D_KERNEL, row->id, &def) && *def.kernel.name;
        put(one, "name", named ? text(def.kernel.name) : json_null());
        put(one, "demangled", named ? text(out_demangle(def.kernel.name)) : json_null());
        put(one, "launches", number(row->run));
        put(one, "unit_launches", number(row->unit));
        json_array_append_new(j, one);
    }
    return j;
}

static json_t *ranges(const struct model *m)
{
    json_t *j = json_array();
    for (size_t i = 0; i < m->ranges.n; i++) {
        const struct range_row *row = &m->ranges.rows[i];
        if (!row->calls && !row->marks && !row->half)
            continue;
        json_t *one = json_object();
        put(one, "domain", text(row->domain));
        put(one, "name", text(row->name));
        put(one, "calls", number(row->calls));
        put(one, "ns", ns_of(m, row->ticks));
        put(one, "median_ns", ns_of(m, row->median));
        put(one, "min_ns", ns_of(m, row->min));
        put(one, "max_ns", ns_of(m, row->max));
        put(one, "marks", number(row->marks));
        put(one, "half", number(row->half));
        json_array_append_new(j, one);
    }
    return j;
}

static json_t *steps(const struct model *m)
{
    json_t *j = json_array();
    for (size_t i = 0; i < m->unit.n_steps; i++) {
        const struct model_step *s = &m->unit.steps[i];
        json_t *one = json_object();
        put(one, "name", text(s->name));
        put(one, "class", text(trace_class_name(s->class_)));
        put(one, "ns", ns_of(m, s->self));
        put(one, "calls", number(s->calls));
        put(one, "calls_timed", number(s->calls - s->counted));
        put(one, "estimated_ns", ns_of(m, s->estimated));
        if (correct_known(m))
            put(one, "corrected_ns", ns_of(m, s->corrected));
        put_interval(one, "interval_ns", m, row_of_step(m, s, correct_known(m)), correct_known(m) ? s->corrected : s->self);
        put(one, "file", text(s->file));
        put(one, "line", number(s->line));
        put(one, "caller_file", s->caller_file ? text(s->caller_file) : json_null());
        put(one, "caller_line", s->caller_file ? number(s->caller_line) : json_null());
        json_array_append_new(j, one);
    }
    return j;
}

static json_t *statistics(const struct model *m)
{
    const struct steady *s = &m->unit.steady;
    json_t *j = json_object();
    put(j, "n", number(s->n));
    put(j, "warmup", number(s->warmup));
    put(j, "counted", number(s->counted));
    put(j, "median_ns", ns_of(m, s->median));
    put(j, "median_low_ns", ns_of(m, s->low));
    put(j, "median_high_ns", ns_of(m, s->high));
    put(j, "mean_ns", json_real(s->mean * m->ns));
    put(j, "deviation_ns", json_real(s->deviation * m->ns));
    put(j, "min_ns", ns_of(m, s->min));
    put(j, "max_ns", ns_of(m, s->max));
    put(j, "p90_ns", ns_of(m, s->p90));
    put(j, "p99_ns", ns_of(m, s->p99));
    put(j, "pauses", number(s->pauses));
    put(j, "pauses_ns", ns_of(m, s->pause_sum));
    put(j, "longest_pause_ns", ns_of(m, s->pause_max));
    return j;
}

static json_t *verdict(const struct model *m)
{
    static const char *const kinds[] = {"not known", "host-bound", "GPU-bound", "back-pressure", "blocked by synchronisation"};
    const struct model_verdict *v = &m->verdict;
    json_t *j = json_object();
    put(j, "kind", text(kinds[v->kind]));
    put(j, "host_ns", json_real(v->host * m->ns));
    put(j, "corrected_host_ns", correct_known(m) ? json_real(v->corrected * m->ns) : json_null());
    put(j, "wait_ns", json_real(v->wait * m->ns));
    put(j, "gpu_ns_from_waits", v->gpu > 0 ? json_real(v->gpu * m->ns) : json_null());
    put(j, "waits", number(v->runs));
    put(j, "waits_ended_at_once", number(v->prompt_runs));
    put(j, "event_ns", v->event_us > 0 ? json_real(v->event_us * 1e3) : json_null());
    put(j, "event_units", number(v->event_units));
    return j;
}

static json_t *unit(const struct model *m, const struct out_options *o)
{
    static const char *const kinds[] = {"none", "call", "loop", "named", "range"};
    const struct model_unit *u = &m->unit;
    if (u->kind == MODEL_UNIT_NONE)
        return json_null();
    json_t *j = json_object(), *parts = json_array();
    put(j, "kind", text(kinds[u->kind]));
    put(j, "name", text(u->name));
    put(j, "file", text(u->file));
    put(j, "line", number(u->line));
    put(j, "called_as", u->called_as ? text(u->called_as) : json_null());
    put(j, "called_from", text(u->loop_name));
    put(j, "called_from_file", text(u->loop_file));
    for (size_t i = 0; i < u->n_named && i < MODEL_PARTS; i++)
        json_array_append_new(parts, text(u->parts[i]));
    put(j, "parts", parts);
    put(j, "n_parts", number(u->n_parts));
    put(j, "thread", number(u->thread));
    put(j, "runs", number(u->runs));
    put(j, "statistics", statistics(m));
    put(j, "classes", classes(m, u->classes, true));
    put(j, "class_intervals_ns", class_intervals(m));
    put(j, "sum_ns", ns_of(m, u->sum));
    put(j, "wall_ns", ns_of(m, u->steady.sum));
    put(j, "estimate", out_json_estimate(m));
    put(j, "counts", counts(&u->counts));
    put(j, "state_calls", state_calls(m, true));
    put(j, "steps", steps(m));
    put(j, "findings", out_findings_json(m, o));
    put(j, "modules", out_modules_json(m));
    put(j, "verdict", verdict(m));
    if (o->units && u->walls) {
        json_t *walls = json_array();
        for (size_t i = 0; i < u->steady.n; i++)
            json_array_append_new(walls, ns_of(m, u->walls[i]));
        put(j, "unit_ns", walls);
    }
    return j;
}

/* How much of the run was recorded at which level. */
static json_t *levels(const struct model *m)
{
    json_t *j = json_array();
    for (uint32_t i = 0; i < WINDOWS_LEVELS; i++) {
        const struct windows_level *l = &m->windows.levels[i];
        if (!l->windows)
            continue;
        json_t *one = json_object();
        put(one, "level", number(i));
        put(one, "windows", number(l->windows));
        put(one, "ns", ns_of(m, l->ticks));
        put(one, "launches", number(l->launches));
        json_array_append_new(j, one);
    }
    return j;
}

static json_t *run(const struct model *m)
{
    json_t *j = json_object(), *threads = json_array();
    put(j, "levels", levels(m));
    put(j, "classes", classes(m, m->run, false));
    put(j, "counts", counts(&m->run_counts));
    put(j, "state_calls", state_calls(m, false));
    for (size_t r = 0; r < m->n_roles; r++) {
        const struct model_role *role = &m->roles[r];
        json_t *one = json_object();
        put(one, "name", text(role->name));
        put(one, "threads", number(role->threads));
        put(one, "first", number(role->first));
        put(one, "recorded_ns", ns_of(m, role->recorded));
        put(one, "launches", number(role->launches));
        put(one, "classes", classes(m, role->classes, false));
        json_array_append_new(threads, one);
    }
    put(j, "threads", threads);
    return j;
}

static json_t *report(const struct out_report *r, const struct out_options *o)
{
    static const char *const why[] = {NULL, "no events", "no launches", "no repetition", "no such name"};
    const struct model *m = r->model;
    json_t *j = json_object();
    put(j, "file", text(r->file));
    put(j, "simulated_device", json_boolean(out_simulated(m)));
    put(j, "architecture", text(m->trace->head.arch == OVH_ARCH_AARCH64 ? "aarch64" : "x86_64"));
    put(j, "recorded_ns", ns_of(m, m->end - m->start));
    put(j, "bytes", number(m->trace->size));
    put(j, "values", values(m));
    put(j, "notes", notes(m));
    put(j, "quality", quality(m));
    put(j, "native_recorded", json_boolean(m->native_recorded));
    put(j, "native_coverage", native_coverage_of(&m->native));
    put(j, "blind_spots", blind_spots(m));
    put(j, "unit", unit(m, o));
    put(j, "why_no_unit", m->unit.kind == MODEL_UNIT_NONE ? text(why[m->unit.why]) : json_null());
    put(j, "kernels", kernels(m));
    put(j, "ranges", ranges(m));
    put(j, "run", run(m));
    return j;
}

json_t *out_json_reports(const struct out_report *reports, size_t n, const struct out_options *o)
{
    json_t *all = json_object(), *list = json_array();
    put(all, "schema", text("ovh-report"));
    put(all, "version", json_integer(SCHEMA_VERSION));
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, report(&reports[i], o));
    put(all, "reports", list);
    return all;
}

bool out_json_print(FILE *to, json_t *all)
{
    bool fine = all && json_dumpf(all, to, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0;
    json_decref(all);
    putc('\n', to);
    return fine && !ferror(to);
}

static bool write_json(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    return out_json_print(to, out_json_reports(reports, n, o));
}

const struct out_ops out_json = {"json", "everything, for programs (docs/report-json.md)", write_json};
