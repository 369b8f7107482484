/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for people. docs/reading-a-report.md says what each figure is and how it is computed.
 */
#include "analyzer/model/rows.h"
#include "analyzer/out/counted.h"
#include "analyzer/out/demangle.h"
#include "analyzer/out/figure.h"
#include "analyzer/out/findings.h"
#include "analyzer/out/head.h"
#include "analyzer/out/levels.h"
#include "analyzer/out/modules.h"
#include "analyzer/out/ranges.h"
#include "analyzer/out/table.h"

#include <stdlib.h>
#include <string.h>

static bool is_apart(int class_)
{
    return model_class_apart((uint32_t)class_);
}

struct sums {
    uint64_t units;
    uint64_t whole; /* ticks that are 100 % */
    double ns;
    bool in_ms;
    const char *head; /* of the column: "us/call" */
    const struct model *m; /* of a unit's table, for the intervals of its rows; NULL: they have none */
    bool corrected;
};

static const char *per_unit(const struct model *m)
{
    return m->unit.kind == MODEL_UNIT_LOOP ? "us/step" : m->unit.kind == MODEL_UNIT_RANGE ? "us/range" : "us/call";
}

static struct out_figure figure(const struct sums *s, uint64_t ticks)
{
    double ns = (double)ticks * s->ns / (double)s->units;
    return s->in_ms ? out_ms(ns) : out_us(ns);
}

/* "7.13 .. 7.14", or nothing where it is not known. */
static struct out_figure interval(const struct sums *s, struct row_value v, uint64_t ticks)
{
    struct out_figure f = {""};
    double low, high;
    if (row_interval(s->m, v, (double)ticks * s->ns / (double)s->units, &low, &high))
        snprintf(f.text, sizeof f.text, "%.28s .. %.28s", out_us(low).text, out_us(high).text);
    return f;
}

static void class_row(struct out_table *t, const struct sums *s, const char *name, uint64_t ticks, uint64_t calls, bool shows_calls,
                      struct row_value v, const char *colour)
{
    struct out_figure time = figure(s, ticks), share = out_share((double)ticks, (double)s->whole), n = out_mean(calls, s->units),
                      range = s->m ? interval(s, v, ticks) : (struct out_figure){""};
    const char *texts[] = {name, time.text, share.text, shows_calls ? n.text : NULL, range.text};
    out_table_row(t, texts, colour);
}

static struct row_value class_value(const struct sums *s, int k)
{
    return s->m ? row_of_class(s->m, (uint32_t)k, s->corrected) : (struct row_value){0};
}

static struct row_value sum_value(const struct sums *s, bool host)
{
    return s->m ? row_of_sum(s->m, host, s->corrected) : (struct row_value){0};
}

#define NO_WALL UINT64_MAX

/* Host classes, their sum; what stands apart; the sum of all beside the wall time. */
static bool class_table(FILE *to, const struct model_class *c, const struct sums *s, uint64_t wall, const struct out_options *o)
{
    const struct out_column columns[] = {
        {"class", 0}, {s->head, SCOLS_FL_RIGHT}, {"share", SCOLS_FL_RIGHT}, {"calls", SCOLS_FL_RIGHT}, {"95 %", SCOLS_FL_RIGHT}};
    struct out_table t;
    uint64_t host = 0, all = 0;
    if (!out_table_begin(&t, columns, s->m ? 5 : 4, o))
        return false;
    for (int k = 1; k < OVH_CLASSES; k++) {
        all += c[k].ticks;
        if (is_apart(k) || !(c[k].ticks || c[k].calls))
            continue;
        host += c[k].ticks;
        class_row(&t, s, trace_class_name((uint32_t)k), c[k].ticks, c[k].calls, true, class_value(s, k), NULL);
    }
    class_row(&t, s, "host", host, 0, false, sum_value(s, true), "bold");
    for (int k = 1; k < OVH_CLASSES; k++)
        if (is_apart(k) && (k == OVH_CLASS_WAIT || c[k].ticks || c[k].calls))
            class_row(&t, s, trace_class_name((uint32_t)k), c[k].ticks, c[k].calls, true, class_value(s, k), NULL);
    class_row(&t, s, "sum", all, 0, false, sum_value(s, false), "bold");
    if (wall != NO_WALL)
        class_row(&t, s, "wall", wall, 0, false, s->m && !s->corrected ? row_of_wall(s->m) : (struct row_value){0}, "bold");
    return out_table_end(&t, to);
}

static void bound(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_verdict *v = &m->verdict;
    double own = o->raw ? v->host : v->corrected;
    struct out_figure gpu = out_us(v->gpu * m->ns), host = out_us(own * m->ns), wait = out_us(v->wait * m->ns);
    const char *word = out_unit_word(m);
    switch (v->kind) {
    case MODEL_GPU_BOUND:
        fprintf(to, "GPU-bound (GPU %s us [inferred from waits], host %s us, headroom %.1fx)", gpu.text, host.text,
                v->gpu / own);
        break;
    case MODEL_QUEUE_FULL:
        fprintf(to,
                "GPU-bound with back-pressure: launches block because the queue is full, %s us of each %s is waiting in them "
                "(%s of %s launches blocked) [inferred from how long launches take]; host %s us",
                wait.text, word, out_count(m->unit.counts.blocked).text, out_count(m->unit.counts.launches).text, host.text);
        if (v->gpu > 0)
            fprintf(to, ", GPU %s us [inferred from waits]", gpu.text);
        break;
    case MODEL_SYNC_BOUND:
        fprintf(to, "blocked by synchronisation: the host waits %s us for the GPU in each %s, works %s us; GPU time not known",
                wait.text, word, host.text);
        break;
    case MODEL_HOST_BOUND:
        fprintf(to,
                "host-bound: host %s us, and the GPU was done when the host was (%s of %s waits ended at once) "
                "[inferred from waits]; GPU time not known beyond that",
                host.text, out_count(v->prompt_runs).text, out_count(v->runs).text);
        break;
    default:
        fprintf(to, "not known: nothing waited for the GPU behind these %ss; host %s us, GPU time not known", word, host.text);
    }
}

static void verdict(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_verdict *v = &m->verdict;
    fprintf(to, "  verdict: %s", out_bold(o));
    bound(to, m, o);
    fprintf(to, "%s\n", out_plain(o));
    if (v->event_us > 0)
        fprintf(to, "  event us %s (between the program's own events, over %s %ss), ", out_us(v->event_us * 1e3).text,
                out_count(v->event_units).text, out_unit_word(m));
    else
        fputs("  event us n/a (the program timed nothing with events), ", to);
    fputs("kernel us n/a (not recorded)\n", to);
}

static void pauses(FILE *to, const struct model *m)
{
    const struct steady *s = &m->unit.steady;
    if (s->pauses)
        fprintf(to, "  pauses apart: %s %ss above %s us, %s us in sum, the longest %s us; with them the mean is %s us/%s\n",
                out_count(s->pauses).text, out_unit_word(m), out_us((double)s->pause_above * m->ns).text,
                out_us((double)s->pause_sum * m->ns).text, out_us((double)s->pause_max * m->ns).text,
                out_us((double)(s->sum + s->pause_sum) * m->ns / (double)(s->counted + s->pauses)).text, out_unit_word(m));
}

/* What a probe of that kind was measured to cost when recording began, in ns; 0: it was not measured. */
static double probe_ns(const struct model *m, uint32_t probe)
{
    double ns = 0;
    for (size_t i = 0; i < m->n_probes; i++)
        if (m->probes[i].probe == probe)
            ns = m->probes[i].median_ns;
    return ns;
}

/* A lower bound: a frame whose cost was not measured is taken for a hooked call, which does less; counted calls are left out. */
static void probes(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_unit *u = &m->unit;
    double call = probe_ns(m, OVH_PROBE_CALL), frame = probe_ns(m, OVH_PROBE_FRAME), slot = probe_ns(m, OVH_PROBE_SLOT);
    double n = (double)u->steady.counted;
    uint64_t frames = u->classes[OVH_CLASS_PYTHON].calls, native = u->classes[OVH_CLASS_NATIVE].calls, hooked = 0;
    for (int k = OVH_CLASS_CUBLAS; k <= OVH_CLASS_WAIT; k++)
        hooked += u->classes[k].calls - u->classes[k].counted;
    hooked -= u->counts.blocked < hooked ? u->counts.blocked : hooked;
    double ns = call * (double)hooked + (frame > 0 ? frame : call) * (double)frames +
                (slot > 0 ? slot : call) * (double)native;
    if (ns > 0 && n > 0 && !out_corrects(m, o))
        fprintf(to,
                "  profiling cost: at least %s us of each %s, not taken off (by the probes' cost at start; 1.3 to 2 times that in "
                "real code)\n",
                out_us(ns / n).text, out_unit_word(m));
}

/* Everything that happened per unit beyond the head line. */
static void more_counts(FILE *to, const struct model *m)
{
    const struct model_counts *c = &m->unit.counts;
    uint64_t n = m->unit.steady.counted, bytes = 0;
    const char *word = out_unit_word(m);
    fprintf(to, "  per %s: %s runtime and %s driver launch calls, %s GEMMs, %s copies", word, out_mean(c->runtime_launches, n).text,
            out_mean(c->driver_launches, n).text, out_mean(c->gemms, n).text, out_mean(c->copies, n).text);
    for (int i = 0; i < 5; i++)
        bytes += c->copied_bytes[i];
    if (c->copies)
        fprintf(to, " (%s)", out_bytes(bytes / n).text);
    if (c->blocking_copies)
        fprintf(to, ", %s blocking copies", out_mean(c->blocking_copies, n).text);
    if (c->graphs)
        fprintf(to, ", %s graph launches", out_mean(c->graphs, n).text);
    if (c->captured)
        fprintf(to, ", %s captured launches (graph nodes, no work for the GPU)", out_mean(c->captured, n).text);
    if (c->allocations)
        fprintf(to, ", %s allocated", out_bytes(c->allocated_bytes / n).text);
    putc('\n', to);
}

static bool steps(FILE *to, const struct model *m, const struct out_options *o, bool waiting)
{
    const struct out_column columns[] = {{"", SCOLS_FL_RIGHT},
                                         {waiting ? "waiting" : "costliest steps (self time)", SCOLS_FL_TRUNC},
                                         {per_unit(m), SCOLS_FL_RIGHT},
                                         {"calls", SCOLS_FL_RIGHT},
                                         {"95 %", SCOLS_FL_RIGHT},
                                         {"where", SCOLS_FL_TRUNC}};
    struct sums s = {.units = m->unit.steady.counted, .ns = m->ns, .m = m, .corrected = out_corrects(m, o)};
    struct out_table t;
    size_t shown = 0, limit = o->steps ? o->steps : SIZE_MAX;
    if (!out_table_begin(&t, columns, 6, o))
        return false;
    for (size_t i = 0; i < m->unit.n_steps && shown < limit; i++) {
        const struct model_step *x = &m->unit.steps[i];
        if (is_apart((int)x->class_) != waiting)
            continue;
        uint64_t ticks = s.corrected ? x->corrected : x->self;
        struct out_figure number = out_count(++shown), time = figure(&s, ticks), calls = out_mean(x->calls, s.units),
                          range = interval(&s, row_of_step(m, x, s.corrected), ticks);
        struct out_place where = out_source(x->file, x->line), name = out_source(x->name, 0), caller = {""};
        char both[560];
        if (x->caller_file)
            caller = out_source(x->caller_file, x->caller_line);
        snprintf(both, sizeof both, "%s%s%s", where.text, *where.text && *caller.text ? " from " : "", caller.text);
        const char *texts[] = {number.text, name.text, time.text, calls.text, range.text, both};
        out_table_row(&t, texts, NULL);
    }
    if (!shown) {
        scols_unref_table(t.table);
        return true;
    }
    putc('\n', to);
    return out_table_end(&t, to);
}

static int by_unit(const void *a, const void *b)
{
    const struct tally_row *x = a, *y = b;
    return x->unit != y->unit ? (x->unit > y->unit ? -1 : 1) : x->id < y->id ? -1 : 1;
}

static bool kernels(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct out_column columns[] = {{"kernels launched", SCOLS_FL_TRUNC},
                                         {m->unit.kind == MODEL_UNIT_LOOP    ? "per step"
                                          : m->unit.kind == MODEL_UNIT_RANGE ? "per range"
                                                                             : "per call",
                                          SCOLS_FL_RIGHT}};
    struct tally_row *rows = malloc((m->kernels.n + 1) * sizeof *rows);
    struct out_table t;
    size_t n = 0;
    for (size_t i = 0; rows && i < m->kernels.n; i++)
        if (m->kernels.rows[i].unit)
            rows[n++] = m->kernels.rows[i];
    if (!rows || !n || !out_table_begin(&t, columns, 2, o)) {
        free(rows);
        return n == 0 && rows;
    }
    qsort(rows, n, sizeof *rows, by_unit);
    for (size_t i = 0; i < n && i < 10; i++) {
        struct trace_def def;
        bool named = rows[i].id && trace_find(m->trace, OVH_D_KERNEL, rows[i].id, &def) && *def.kernel.name;
        struct out_figure each = out_mean(rows[i].unit, m->unit.steady.counted);
        struct out_place name = out_source(named ? out_demangle(def.kernel.name) : "(name not known)", 0);
        const char *texts[] = {name.text, each.text};
        out_table_row(&t, texts, NULL);
    }
    free(rows);
    putc('\n', to);
    return out_table_end(&t, to);
}

static struct out_place role_name(const struct model *m, const struct model_role *role)
{
    struct out_place name = out_source(*role->name ? role->name : "(no name)", 0), full;
    if (role->first == m->trace->threads[0].number)
        snprintf(full.text, sizeof full.text, "%.100s (first thread)", name.text);
    else if (role->threads > 1)
        snprintf(full.text, sizeof full.text, "%.100s (%u threads)", name.text, role->threads);
    else
        full = name;
    return full;
}

/* Threads that are not the unit's: their time is theirs. */
static bool threads(FILE *to, const struct model *m, const struct out_options *o)
{
    enum { CLASSES = OVH_CLASSES - 1 };
    struct out_column columns[3 + CLASSES] = {
        {"other threads (whole run, ms)", SCOLS_FL_TRUNC}, {"recorded", SCOLS_FL_RIGHT}, {"launches", SCOLS_FL_RIGHT}};
    int shown[CLASSES], n = 0;
    struct out_table t;
    size_t others = 0;
    for (int k = 1; k < OVH_CLASSES; k++) {
        uint64_t ticks = 0;
        for (size_t r = 0; r < m->n_roles; r++)
            ticks += m->unit.kind != MODEL_UNIT_NONE && r == m->unit.role ? 0 : m->roles[r].classes[k].ticks;
        if (ticks) {
            columns[3 + n] = (struct out_column){trace_class_name((uint32_t)k), SCOLS_FL_RIGHT};
            shown[n++] = k;
        }
    }
    if (!out_table_begin(&t, columns, 3 + (size_t)n, o))
        return false;
    for (size_t r = 0; r < m->n_roles; r++) {
        const struct model_role *role = &m->roles[r];
        if ((m->unit.kind != MODEL_UNIT_NONE && r == m->unit.role) || !role->recorded)
            continue;
        struct out_place name = role_name(m, role);
        struct out_figure text[2 + CLASSES];
        const char *texts[3 + CLASSES] = {name.text};
        text[0] = out_ms((double)role->recorded * m->ns);
        text[1] = out_count(role->launches);
        for (int i = 0; i < n; i++)
            text[2 + i] = out_ms((double)role->classes[shown[i]].ticks * m->ns);
        for (int i = 0; i < 2 + n; i++)
            texts[1 + i] = text[i].text;
        out_table_row(&t, texts, NULL);
        others++;
    }
    if (!others) {
        scols_unref_table(t.table);
        return true;
    }
    putc('\n', to);
    return out_table_end(&t, to);
}

static void remarks(FILE *to, const struct model *m)
{
    const struct model_unit *u = &m->unit;
    uint64_t elsewhere = 0;
    bool python = m->run[OVH_CLASS_PYTHON].calls > 0, other = u->classes[OVH_CLASS_OTHER].ticks || u->kind == MODEL_UNIT_NONE;
    for (size_t r = 0; r < m->n_roles; r++) {
        elsewhere += u->kind != MODEL_UNIT_NONE && r != u->role ? m->roles[r].launches : 0;
        other |= r != u->role && m->roles[r].classes[OVH_CLASS_OTHER].ticks;
    }
    putc('\n', to);
    out_levels(to, m);
    if (python && !m->native_recorded)
        fputs("  native code between Python and the hooked calls is inside `python`: OVH_DETAIL=3 records C functions apart\n", to);
    if (python)
        fputs("  operators, attribute reads and deallocations raise no Python event: they are inside `python`\n", to);
    if (!python && m->walked_stacks)
        fputs("  Python frames were not recorded in this process (only walked at calls): their time is inside `other`\n", to);
    if (other)
        fputs("  `other` is time outside every recorded span: the program's own code\n", to);
    out_counted(to, m);
    out_modules_hint(to, m);
    if (elsewhere)
        fprintf(
            to,
            "  %s launches of the whole run were made by other threads (autograd's, say): while this thread waits for them, that\n"
            "  wait is inside its own classes above, and their work is in the table of other threads\n",
            out_count(elsewhere).text);
    if (m->run_counts.driver_launches && m->run_counts.blind_launches && !out_simulated(m))
        fprintf(to, "  blind spot: %s launches seen at the runtime level were not seen at the driver level\n",
                out_count(m->run_counts.blind_launches).text);
}

static bool unit_report(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_unit *u = &m->unit;
    struct sums s = {.units = u->steady.counted, .whole = u->steady.sum, .ns = m->ns, .head = per_unit(m), .m = m, .corrected = out_corrects(m, o)};
    out_unit_head(to, m, o);
    verdict(to, m, o);
    pauses(to, m);
    probes(to, m, o);
    more_counts(to, m);
    putc('\n', to);
    struct model_class classes[OVH_CLASSES];
    memcpy(classes, u->classes, sizeof classes);
    if (out_corrects(m, o)) {
        for (int k = 0; k < OVH_CLASSES; k++)
            classes[k].ticks = classes[k].corrected;
        s.whole = out_corrected_wall(m);
    }
    return class_table(to, classes, &s, s.whole, o) && steps(to, m, o, false) && steps(to, m, o, true) &&
           kernels(to, m, o) && out_findings(to, m, o);
}

static bool run_report(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_counts *c = &m->run_counts;
    uint64_t recorded = 0;
    for (size_t r = 0; r < m->n_roles; r++)
        recorded += m->roles[r].recorded;
    struct sums s = {.units = 1, .whole = recorded, .ns = m->ns, .in_ms = true, .head = "ms"};
    out_no_unit(to, m);
    fprintf(to, "  %s launches, %s captured, %s GEMMs, %s syncs, %s blocking copies, %s copies, %s allocations\n\n",
            out_count(c->launches).text, out_count(c->captured).text, out_count(c->gemms).text, out_count(c->syncs).text,
            out_count(c->blocking_copies).text, out_count(c->copies).text, out_count(c->allocations).text);
    return class_table(to, m->run, &s, NO_WALL, o);
}

static bool write_text(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++) {
        const struct model *m = reports[i].model;
        if (i)
            putc('\n', to);
        out_head(to, &reports[i], o);
        putc('\n', to);
        fine = m->unit.kind != MODEL_UNIT_NONE ? unit_report(to, m, o) : run_report(to, m, o);
        fine = fine && threads(to, m, o) && out_ranges(to, m, o);
        remarks(to, m);
    }
    if (n > 1)
        fprintf(to, "\n%zu traces were reported one after the other: they were not compared\n", n);
    return fine && !ferror(to);
}

const struct out_ops out_text = {"text", "the breakdown, for people", write_text};
