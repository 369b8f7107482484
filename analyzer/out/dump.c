/* SPDX-License-Identifier: Apache-2.0
 *
 * --dump: the head, the definitions, then thread after thread its events.
 */
#include "analyzer/out/dump.h"

#include "analyzer/trace/clock.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/lines.h"
#include "analyzer/trace/walk.h"
#include "ovh/exit_codes.h"

#include <inttypes.h>

#define INDENT_MAX 60u

static const char *arch_name(uint32_t arch)
{
    return arch == OVH_ARCH_X86_64 ? "x86_64" : arch == OVH_ARCH_AARCH64 ? "aarch64" : "unknown";
}

static const char *clock_name(uint32_t clock)
{
    return clock == OVH_CLOCK_COUNTER     ? "counter"
           : clock == OVH_CLOCK_MONOTONIC ? "monotonic"
           : clock == OVH_CLOCK_SIMULATED ? "simulated"
                                          : "unknown";
}

static void dump_head(FILE *to, const struct ovh_file_head *h)
{
    fprintf(to, "trace format=%u.%u arch=%s clock=%s simulated=%u ring=%u pid=%u process_start=%" PRIu64 " chunk_bytes=%u\n",
            h->major, h->minor, arch_name(h->arch), clock_name(h->clock), !!(h->flags & OVH_FILE_SIMULATED),
            !!(h->flags & OVH_FILE_RING), h->pid, h->process_start, h->chunk_bytes);
    fprintf(to, "start tick=%" PRIu64 " tick_hz=%" PRIu64 " monotonic=%" PRIu64 " realtime=%" PRIu64 "\n", h->start_tick,
            h->tick_hz, h->start_monotonic, h->start_realtime);
}

static void dump_definitions(FILE *to, const struct trace *t)
{
    struct trace_defs d;
    struct trace_def def;
    for (trace_defs_begin(&d, t); trace_defs_next(&d, &def);)
        out_dump_definition(to, &def);
}

static void dump_step(FILE *to, const struct trace *t, const char *what, uint32_t id)
{
    struct trace_def def;
    fprintf(to, "%s %u ", what, id);
    if (trace_find(t, OVH_D_STEP, id, &def))
        out_dump_text(to, def.step.name);
    else
        fputs("?", to);
}

/* The line that an AT record in the innermost Python span means. */
static uint32_t line_of(const struct trace *t, const struct trace_walk *w, uint32_t offset)
{
    struct trace_def def;
    for (uint32_t i = w->depth; i-- > 0;) {
        if (!trace_find(t, OVH_D_STEP, w->open[i], &def) || def.step.class_ != OVH_CLASS_PYTHON)
            continue;
        if (!trace_find(t, OVH_D_LINES, w->open[i], &def))
            return 0;
        return trace_line(def.lines.format, def.lines.first_line, def.lines.table, def.lines.bytes, offset * 2);
    }
    return 0;
}

static void dump_record(FILE *to, const struct trace *t, const struct trace_walk *w, const struct trace_event *ev)
{
    const char *name = trace_record_name(ev->type);
    if (ev->type == OVH_R_CALL) {
        dump_step(to, t, name, ev->arg);
        return;
    }
    if (name)
        fputs(name, to);
    else
        fprintf(to, "TYPE_%u", ev->type);
    out_dump_record(to, t, ev->type, ev->arg, ev->words, ev->data);
    if (ev->type == OVH_R_AT)
        fprintf(to, " line=%u", line_of(t, w, ev->arg == 0xffff ? ev->data[0] : ev->arg));
}

static void dump_event(FILE *to, const struct trace *t, const struct trace_walk *w, const struct trace_event *ev, int64_t ns)
{
    uint32_t indent = ev->depth * 2 < INDENT_MAX ? ev->depth * 2 : INDENT_MAX;
    fprintf(to, "%12" PRId64 " %u %u %*s", ns, w->thread->number, ev->depth, (int)indent, "");
    switch (ev->kind) {
    case TRACE_ENTER:
    case TRACE_LEAVE:
        dump_step(to, t, ev->kind == TRACE_ENTER ? "enter" : "leave", ev->id);
        fputs(ev->flags & TRACE_REOPENED ? " reopened" : "", to);
        fputs(ev->flags & TRACE_FAILED ? " failed" : "", to);
        fputs(ev->flags & TRACE_UNWOUND ? " unwound" : "", to);
        fputs(ev->flags & TRACE_CUT ? " cut" : "", to);
        fputs(ev->flags & TRACE_INCOMPLETE ? " incomplete" : "", to);
        break;
    case TRACE_RECORD:
        dump_record(to, t, w, ev);
        break;
    case TRACE_BREAK:
        fprintf(to, "BREAK missing=%u", ev->id);
        break;
    }
    fputc('\n', to);
}

static void dump_thread(FILE *to, const struct trace *t, const struct trace_thread *thread, struct trace_clock *clock)
{
    struct trace_walk w;
    struct trace_event ev;
    trace_walk_begin(&w, t, thread);
    while (trace_walk_next(&w, &ev))
        dump_event(to, t, &w, &ev, trace_ns(clock, ev.tick));
    if (w.orphans)
        fprintf(to, "left-out thread=%u leaves=%" PRIu64 "\n", thread->number, w.orphans);
    trace_walk_end(&w);
}

/* ---- raw ---- */

static void dump_item(FILE *to, const struct trace_item *item)
{
    switch (item->kind) {
    case OVH_WORD_ENTER:
    case OVH_WORD_ENTER_LONG:
        fprintf(to, "%s id=%u", item->kind == OVH_WORD_ENTER ? "ENTER" : "ENTER_LONG", item->id);
        return;
    case OVH_WORD_LEAVE:
        fprintf(to, "LEAVE failed=%d", item->failed);
        return;
    case OVH_WORD_RECORD:
        break;
    }
    const char *name = trace_record_name(item->type);
    fprintf(to, "%s type=%u arg=%u words=", name ? name : "UNKNOWN", item->type, item->arg);
    for (uint32_t i = 0; i < item->words; i++)
        fprintf(to, "%s0x%x", i ? "," : "", item->data[i]);
}

static void dump_part_raw(FILE *to, const struct trace_part *p)
{
    struct trace_words w = trace_words(p->words, p->n, p->base_tick);
    struct trace_item item;
    fprintf(to,
            "part thread=%u chunk=%u sequence=%" PRIu64 " base_tick=%" PRIu64
            " words=%u missing=%u handed=%u open=%u generation=%" PRIu64 "\n",
            p->thread, p->chunk, p->sequence, p->base_tick, p->n, p->missing, p->handed, p->open, p->generation);
    while (trace_words_next(&w, &item) == TRACE_WORD_ITEM) {
        fprintf(to, "%" PRIu64 " ", item.tick);
        dump_item(to, &item);
        fputc('\n', to);
    }
}

static void dump_thread_head(FILE *to, const struct trace_thread *thread)
{
    fprintf(to, "thread %u tid=%u name=", thread->number, thread->tid);
    out_dump_text(to, thread->name);
    fprintf(to, " events=%" PRIu64 " parts=%zu missing=%" PRIu64 " recycled=%" PRIu64 " lost=%" PRIu64 "\n", thread->events,
            thread->parts, thread->missing, thread->recycled, thread->lost);
}

int out_dump(FILE *to, const struct trace *t, const struct out_dump_options *options)
{
    struct trace_clock clock;
    if (!trace_clock_make(&clock, t)) {
        fprintf(to, "not-whole out of memory\n");
        return OVH_EXIT_DEGRADED;
    }
    if (!options->no_definitions) {
        dump_head(to, &t->head);
        dump_definitions(to, t);
    }
    for (size_t i = 0; i < t->n_threads; i++) {
        dump_thread_head(to, &t->threads[i]);
        if (!options->raw)
            dump_thread(to, t, &t->threads[i], &clock);
        for (size_t k = 0; options->raw && k < t->threads[i].parts; k++)
            dump_part_raw(to, &t->parts[t->threads[i].part + k]);
    }
    trace_clock_free(&clock);
    if (trace_whole(t))
        return OVH_EXIT_FINE;
    fprintf(to, "not-whole damages=%" PRIu64 " missing_chunks=%" PRIu64 " lost=%" PRIu64 "\n", t->health.damages,
            t->health.missing_chunks, t->health.lost);
    return OVH_EXIT_DEGRADED;
}
