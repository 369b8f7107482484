/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/head.h"

#include "analyzer/out/figure.h"
#include "analyzer/out/levels.h"

#include <string.h>

const char *out_bold(const struct out_options *o)
{
    return o->colour ? "\033[1m" : "";
}

const char *out_red(const struct out_options *o)
{
    return o->colour ? "\033[31m" : "";
}

const char *out_plain(const struct out_options *o)
{
    return o->colour ? "\033[0m" : "";
}

void out_safe(FILE *to, const char *text)
{
    for (; *text; text++)
        putc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, to);
}

const char *out_value(const struct model *m, const char *key)
{
    struct trace_defs defs;
    struct trace_def def;
    const char *value = NULL;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_VALUE && !strcmp(def.value.key, key))
            value = def.value.value;
    return value && *value ? value : NULL;
}

bool out_simulated(const struct model *m)
{
    return (m->trace->head.flags & OVH_FILE_SIMULATED) || out_value(m, "simulated");
}

void out_first_line(FILE *to, const struct out_report *r, const struct out_options *o)
{
    const char *command = out_value(r->model, "command");
    fprintf(to, "%sovh-report  ", out_bold(o));
    out_safe(to, r->file);
    fprintf(to, "%s  ", out_plain(o));
    if (out_simulated(r->model))
        fprintf(to, "%ssimulated device%s: no GPU was used, library and kernel times are not real  ", out_red(o), out_plain(o));
    out_safe(to, command ? command : "(command not recorded)");
    putc('\n', to);
}

struct field {
    const char *before, *key, *after;
};

/* Those that are known, in one line. */
static bool fields(FILE *to, const struct model *m, const struct field *list, size_t n, const char *between)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const char *value = out_value(m, list[i].key);
        if (!value)
            continue;
        fprintf(to, "%s%s", any ? between : "", list[i].before);
        out_safe(to, value);
        fputs(list[i].after, to);
        any = true;
    }
    return any;
}

void out_machine(FILE *to, const struct model *m)
{
    static const struct field cpu[] = {{"", "cpu.model", ""}, {"", "cpu.count", " CPUs"}, {"", "cpu.governor", " governor"}};
    static const struct field gpu[] = {{"", "gpu.name", ""}, {"driver ", "gpu.driver", ""}, {"CUDA ", "cuda.runtime", ""}};
    fprintf(to, "%s ", m->trace->head.arch == OVH_ARCH_AARCH64 ? "aarch64" : "x86_64");
    if (!fields(to, m, cpu, sizeof cpu / sizeof *cpu, ", "))
        fputs("CPU not recorded", to);
    fputs(" | ", to);
    if (!fields(to, m, gpu, sizeof gpu / sizeof *gpu, ", "))
        fputs(out_simulated(m) ? "no GPU" : "GPU not recorded", to);
    putc('\n', to);
}

static void recorded(FILE *to, const struct model *m, const struct out_options *o)
{
    static const struct field versions[] = {
        {"Python ", "python", ""}, {"torch ", "torch", ""},   {"transformer_engine ", "transformer_engine", ""},
        {"cupy ", "cupy", ""},     {"triton ", "triton", ""}, {"jax ", "jax", ""},
    };
    const struct model_quality *q = &m->quality;
    size_t threads = m->trace->n_threads;
    if (fields(to, m, versions, sizeof versions / sizeof *versions, "  "))
        fputs(" | ", to);
    fprintf(to, "recorded %.1f s, %zu thread%s, %s, ", (double)(m->end - m->start) * m->ns / 1e9, threads, threads == 1 ? "" : "s",
            out_bytes(m->trace->size).text);
    fprintf(to, "%s%s lost, %s unresolved%s\n", q->lost || q->unresolved ? out_red(o) : "", out_count(q->lost).text,
            out_count(q->unresolved).text, q->lost || q->unresolved ? out_plain(o) : "");
}

static void warn(FILE *to, const struct out_options *o, uint64_t n, const char *what)
{
    if (n)
        fprintf(to, "%s! %s %s%s\n", out_red(o), out_count(n).text, what, out_plain(o));
}

/* The file's end is missing: one line, whatever number of places the reader counted for it. Returns that number. */
static uint64_t cut_off(FILE *to, const struct model *m, const struct out_options *o)
{
    uint64_t places = 0, bytes = 0;
    for (size_t i = 0; i < m->trace->n_damages; i++)
        if (m->trace->damages[i].kind == TRACE_DAMAGE_CUT) {
            places++;
            bytes += m->trace->damages[i].bytes;
        }
    if (places)
        fprintf(to, "%s! file cut off: its last %s are missing, the figures are about the rest; was it copied whole?%s\n", out_red(o),
                out_bytes(bytes).text, out_plain(o));
    return places;
}

static void losses(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_quality *q = &m->quality;
    warn(to, o, q->lost, "events could not be recorded: times and counts below are too small by them");
    warn(to, o, q->unresolved, "calls of steps without a definition: shown as (unknown step)");
    warn(to, o, q->damages - cut_off(to, m, o), "damaged places in the file were left out (ovh-report --verify names them)");
    warn(to, o, q->missing_chunks, "chunks of events are missing");
    warn(to, o, q->incomplete,
         q->ended ? "INCOMPLETE: calls were open when recording ended"
                  : "INCOMPLETE: calls were open when the trace ended (killed, hung, or still running)");
    warn(to, o, q->orphans, "leaves with no span open were left out");
    warn(to, o, q->stepped_back, "events whose clock stepped back: shown at the time of the one before");
    if (m->trace->health.unknown_records)
        fprintf(to, "%s records of kinds that this version does not know were skipped: a newer ovh-report reads them\n",
                out_count(m->trace->health.unknown_records).text);
}

static void notes(FILE *to, const struct model *m)
{
    struct trace_defs defs;
    struct trace_def def;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_NOTE) {
            fputs("note: ", to);
            out_safe(to, def.note.text);
            putc('\n', to);
        }
}

/* How many calls of C functions the recorder's hooks see, by the check that it made. */
static void native(FILE *to, const struct model *m)
{
    const struct model_native *n = &m->native;
    if (!n->checked)
        return;
    fprintf(to, "C functions called from Python: of %s calls checked %s seen by slot, ",
            out_count(n->slot + n->tp_call + n->pointer + n->unseen).text, out_count(n->slot).text);
    fprintf(to, "%s by tp_call, ", out_count(n->tp_call).text);
    fprintf(to, "%s by the interpreter's pointers, ", out_count(n->pointer).text);
    fprintf(to, "%s unseen", out_count(n->unseen).text);
    for (size_t i = 0; i < n->n; i++) {
        fputs(i ? ", " : " (", to);
        out_safe(to, n->unseen_names[i].name);
        fprintf(to, " %s", out_count(n->unseen_names[i].calls).text);
    }
    fputs(n->n ? ")\n" : "\n", to);
}

void out_head_losses(FILE *to, const struct out_report *r, const struct out_options *o)
{
    losses(to, r->model, o);
}

bool out_is_blind_spot(const struct trace_def *def)
{
    return def->type == OVH_D_COVERAGE && def->coverage.reason >= OVH_COVERAGE_BOUND;
}

/* On the simulated device runtimes launch without a driver. */
static void blind_spots(FILE *to, const struct model *m)
{
    struct trace_defs defs;
    struct trace_def def;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);)
        if (out_is_blind_spot(&def) && !(def.coverage.reason == OVH_COVERAGE_DRIVER && out_simulated(m))) {
            fputs("blind spot: ", to);
            out_safe(to, def.coverage.text);
            putc('\n', to);
        }
}

void out_head(FILE *to, const struct out_report *r, const struct out_options *o)
{
    out_first_line(to, r, o);
    out_machine(to, r->model);
    recorded(to, r->model, o);
    out_cost(to, r->model);
    losses(to, r->model, o);
    native(to, r->model);
    blind_spots(to, r->model);
    notes(to, r->model);
}

const char *out_unit_word(const struct model *m)
{
    return m->unit.kind == MODEL_UNIT_LOOP ? "step" : m->unit.kind == MODEL_UNIT_RANGE ? "range" : "call";
}

static void name_line(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_unit *u = &m->unit;
    fputs(out_bold(o), to);
    if (u->kind == MODEL_UNIT_LOOP) {
        fprintf(to, "step of %zu calls in ", u->n_parts);
        out_safe(to, u->loop_name);
    } else {
        out_safe(to, u->name);
    }
    if (u->kind == MODEL_UNIT_RANGE)
        fprintf(to, "%s  (NVTX range)", out_plain(o));
    else
        fprintf(to, "%s  (%s)", out_plain(o),
                *u->file ? out_source(u->file, u->kind == MODEL_UNIT_LOOP ? u->line : 0).text : "no file");
    fprintf(to, "     %s %ss, %s warm-up left out", out_count(u->steady.n).text, out_unit_word(m),
            out_count(u->steady.warmup).text);
    if (u->steady.pauses)
        fprintf(to, ", %s pauses apart", out_count(u->steady.pauses).text);
    putc('\n', to);
}

static void parts_line(FILE *to, const struct model *m)
{
    const struct model_unit *u = &m->unit;
    size_t shown = u->n_named < MODEL_PARTS ? u->n_named : MODEL_PARTS;
    if (u->kind == MODEL_UNIT_RANGE)
        return; /* its name is all */
    fputs("  ", to);
    if (u->kind == MODEL_UNIT_LOOP) {
        for (size_t i = 0; i < shown; i++) {
            fputs(i ? ", " : "", to);
            out_safe(to, u->parts[i]);
        }
        fputs(shown < u->n_named ? ", ..." : "", to);
        if (u->n_parts > u->n_named)
            fprintf(to, ", and %zu hooked calls", u->n_parts - u->n_named);
        putc('\n', to);
        return;
    }
    if (u->called_as) {
        fputs("as ", to);
        out_safe(to, u->called_as);
        fputs(", ", to);
    }
    fputs("called from ", to);
    out_safe(to, u->loop_name);
    if (*u->loop_file)
        fprintf(to, " (%s)", out_source(u->loop_file, u->loop_line).text);
    putc('\n', to);
}

/* "1 launch", "0 syncs", "1.50 launches" */
static void per_unit(FILE *to, uint64_t n, uint64_t units, const char *one, const char *many, const char *behind)
{
    fprintf(to, "%s %s%s", out_mean(n, units).text, n == units ? one : many, behind);
}

void out_unit_head(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct model_unit *u = &m->unit;
    const struct steady *s = &u->steady;
    const struct model_counts *c = &u->counts;
    uint64_t n = s->counted;
    name_line(to, m, o);
    parts_line(to, m);
    if (out_corrects(m, o)) {
        const struct estimate_interval *x = &m->correction.estimate.corrected;
        fprintf(to, "  %s%s us/%s%s corrected  [%s .. %s]   ", out_bold(o), out_us(x->value * m->ns).text, out_unit_word(m), out_plain(o),
                out_us(x->low * m->ns).text, out_us(x->high * m->ns).text);
        fprintf(to, "raw: median %s   ", out_us((double)s->median * m->ns).text);
    } else {
        fprintf(to, "  %s%s us/%s%s  [%s .. %s]   ", out_bold(o), out_us((double)s->median * m->ns).text, out_unit_word(m), out_plain(o),
                out_us((double)s->low * m->ns).text, out_us((double)s->high * m->ns).text);
    }
    fprintf(to, "mean %s   p90 %s   p99 %s   ", out_us(s->mean * m->ns).text, out_us((double)s->p90 * m->ns).text,
            out_us((double)s->p99 * m->ns).text);
    per_unit(to, c->launches, n, "launch", "launches", ", ");
    per_unit(to, c->heuristics, n, "heuristic", "heuristics", ", ");
    per_unit(to, c->syncs + c->blocking_copies, n, "sync", "syncs", ", ");
    per_unit(to, c->allocations, n, "allocation", "allocations", "");
    fprintf(to, " per %s\n", out_unit_word(m));
}

void out_no_unit(FILE *to, const struct model *m)
{
    static const char *const why[] = {
        [MODEL_NO_EVENTS] = "no call was recorded",
        [MODEL_NO_LAUNCHES] = "nothing was launched",
        [MODEL_NO_REPETITION] = "no call that launches is repeated (--unit NAME says what to look at)",
    };
    if (m->unit.why == MODEL_NO_SUCH_NAME) {
        bool range = ranges_is_unit(m->unit.asked);
        fprintf(to, "No unit of work: no recorded %s is named ", range ? "range" : "call");
        out_safe(to, range ? strchr(m->unit.asked, ':') + 1 : m->unit.asked);
        fputs(range ? " (--unit nvtx:NAME takes the whole name of a pushed range, or its beginning and a *)"
                    : " (--unit takes a name that --tree shows, or its end)", to);
    } else {
        fprintf(to, "No unit of work: %s", why[m->unit.why]);
    }
    fputs(". The whole run instead:\n", to);
}
