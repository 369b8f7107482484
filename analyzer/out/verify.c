/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/verify.h"

#include "analyzer/trace/walk.h"
#include "ovh/exit_codes.h"

#include <inttypes.h>

/* What only a walk over all events tells. */
struct walked {
    uint64_t unresolved; /* enters and counted calls whose step has no definition */
    uint64_t nameless;   /* enters with id 0: ids had run out */
    uint64_t counted;    /* calls counted, not timed */
    uint64_t ranges;     /* RANGE records */
    uint64_t orphans, stepped_back, incomplete, cut, unwound, reopened;
    uint64_t lost[OVH_LOSS_THREADS + 1]; /* by reason; 0: others */
    bool no_memory;
};

static void count_step(struct walked *sum, const struct trace *t, uint32_t id)
{
    struct trace_def def;
    if (id == 0)
        sum->nameless++;
    else if (!trace_find(t, OVH_D_STEP, id, &def))
        sum->unresolved++;
}

static void count_event(struct walked *sum, const struct trace *t, const struct trace_event *ev)
{
    switch (ev->kind) {
    case TRACE_ENTER:
        sum->reopened += !!(ev->flags & TRACE_REOPENED);
        count_step(sum, t, ev->id);
        break;
    case TRACE_LEAVE:
        sum->incomplete += !!(ev->flags & TRACE_INCOMPLETE);
        sum->cut += !!(ev->flags & TRACE_CUT);
        sum->unwound += !!(ev->flags & TRACE_UNWOUND);
        break;
    case TRACE_RECORD:
        if (ev->type == OVH_R_CALL) {
            sum->counted++;
            count_step(sum, t, ev->arg);
        }
        sum->ranges += ev->type == OVH_R_RANGE;
        if (ev->type == OVH_R_LOSS)
            sum->lost[ev->arg <= OVH_LOSS_THREADS ? ev->arg : 0] += ev->data[0] | (uint64_t)ev->data[1] << 32;
        break;
    }
}

static void walk_thread(struct walked *sum, const struct trace *t, const struct trace_thread *thread)
{
    struct trace_walk w;
    struct trace_event ev;
    trace_walk_begin(&w, t, thread);
    while (trace_walk_next(&w, &ev))
        count_event(sum, t, &ev);
    sum->orphans += w.orphans;
    sum->stepped_back += w.stepped_back;
    sum->no_memory |= w.no_memory;
    trace_walk_end(&w);
}

static void print_file(FILE *to, const struct trace *t)
{
    const struct trace_health *h = &t->health;
    const char *arch = t->head.arch == OVH_ARCH_X86_64    ? "x86_64"
                       : t->head.arch == OVH_ARCH_AARCH64 ? "aarch64"
                                                          : "unknown machine";
    fprintf(to, "  format %u.%u, %s, process %u%s%s\n", t->head.major, t->head.minor, arch, t->head.pid,
            t->head.flags & OVH_FILE_SIMULATED ? ", simulated device" : "", t->head.flags & OVH_FILE_RING ? ", ring" : "");
    if (h->ended)
        fprintf(to, "  ended in good order (%s)\n",
                h->end_reason == OVH_END_EXIT      ? "exit"
                : h->end_reason == OVH_END_STOPPED ? "stopped"
                                                   : "?");
    else
        fprintf(to, "  no end mark: the process was killed, still runs, or the file was cut between two chunks\n");
    fprintf(to,
            "  %" PRIu64 " chunks: %" PRIu64 " sealed, %" PRIu64 " open, %" PRIu64 " of them with definitions; %" PRIu64
            " places unused\n",
            h->chunks, h->sealed, h->open, h->definition_chunks, h->unused);
    fprintf(to, "  %" PRIu64 " events, %" PRIu64 " records, %" PRIu64 " definitions\n", h->events, h->records, h->definitions);
    if (h->unknown_records || h->unknown_definitions)
        fprintf(to, "  skipped, from a newer minor version: %" PRIu64 " records, %" PRIu64 " definitions\n", h->unknown_records,
                h->unknown_definitions);
    if (h->recycled)
        fprintf(to, "  ring: %" PRIu64 " chunks were overwritten, as asked for\n", h->recycled);
}

static void print_threads(FILE *to, const struct trace *t)
{
    fprintf(to, "  %zu thread%s\n", t->n_threads, t->n_threads == 1 ? "" : "s");
    for (size_t i = 0; i < t->n_threads; i++) {
        const struct trace_thread *thread = &t->threads[i];
        fprintf(to, "    %u%s%s (tid %u): %" PRIu64 " events in %zu part%s", thread->number, thread->name[0] ? " " : "",
                thread->name, thread->tid, thread->events, thread->parts, thread->parts == 1 ? "" : "s");
        if (thread->missing)
            fprintf(to, ", %" PRIu64 " chunks missing", thread->missing);
        if (thread->recycled)
            fprintf(to, ", %" PRIu64 " older chunks overwritten", thread->recycled);
        if (thread->lost)
            fprintf(to, ", %" PRIu64 " events lost", thread->lost);
        fputc('\n', to);
    }
}

/* Legal, but a reader should know. */
static void print_spans(FILE *to, const struct walked *sum)
{
    const struct {
        uint64_t n;
        const char *what;
    } rows[] = {
        {sum->counted, "calls were counted, not timed"},
        {sum->ranges, "ends of ranges and marks that the program set"},
        {sum->reopened, "spans were open before their recording began"},
        {sum->incomplete, "spans were still open at the end"},
        {sum->cut, "spans were cut by a stop of the recording or by missing events"},
        {sum->unwound, "spans were left without a leave (exception through C, longjmp)"},
        {sum->orphans, "leaves belong to no recorded span"},
        {sum->stepped_back, "events carry an earlier time than the one before"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].n)
            fprintf(to, "  %" PRIu64 " %s\n", rows[i].n, rows[i].what);
}

static void print_losses(FILE *to, const struct trace *t, const struct walked *sum)
{
    struct trace_defs d;
    struct trace_def def;
    if (t->health.lost)
        fprintf(to, "  lost: %" PRIu64 " events\n", t->health.lost);
    for (uint32_t why = 0; why <= OVH_LOSS_THREADS; why++)
        if (sum->lost[why])
            fprintf(to, "    %" PRIu64 " %s, said by their threads\n", sum->lost[why],
                    why ? trace_loss_name(why) : "for an unknown reason");
    for (trace_defs_begin(&d, t); trace_defs_next(&d, &def);)
        if (def.type == OVH_D_LOSS)
            fprintf(to, "    %" PRIu64 " %s, %s\n", def.loss.count,
                    trace_loss_name(def.loss.why) ? trace_loss_name(def.loss.why) : "?", def.loss.where);
}

static void print_coverage(FILE *to, const struct trace *t)
{
    struct trace_defs d;
    struct trace_def def;
    for (trace_defs_begin(&d, t); trace_defs_next(&d, &def);)
        if (def.type == OVH_D_COVERAGE)
            fprintf(to, "  calls checked: %" PRIu64 " seen, %" PRIu64 " unseen: %s\n", def.coverage.seen, def.coverage.unseen,
                    def.coverage.text);
}

static void print_damages(FILE *to, const struct trace *t, const struct walked *sum)
{
    if (t->health.missing_chunks)
        fprintf(to, "  missing: %" PRIu64 " chunks\n", t->health.missing_chunks);
    if (t->health.damages)
        fprintf(to, "  damaged: %" PRIu64 " place%s\n", t->health.damages, t->health.damages == 1 ? "" : "s");
    for (size_t i = 0; i < t->n_damages; i++) {
        const struct trace_damage *d = &t->damages[i];
        fprintf(to, "    at 0x%" PRIx64 ": %s", d->offset, trace_damage_text(d->kind));
        if (d->bytes)
            fprintf(to, ", %" PRIu64 " bytes", d->bytes);
        if (d->thread)
            fprintf(to, ", thread %u", d->thread);
        fputc('\n', to);
    }
    if (t->health.damages > t->n_damages)
        fprintf(to, "    and %" PRIu64 " more\n", t->health.damages - t->n_damages);
    if (sum->unresolved)
        fprintf(to, "  unresolved: %" PRIu64 " calls of functions whose definition is missing\n", sum->unresolved);
    if (sum->nameless)
        fprintf(to, "  nameless: %" PRIu64 " calls of functions beyond the last id\n", sum->nameless);
    if (sum->no_memory)
        fprintf(to, "  not checked to the end: out of memory\n");
}

int out_verify(FILE *to, const char *file, const struct trace *t)
{
    struct walked sum = {0};
    for (size_t i = 0; i < t->n_threads; i++)
        walk_thread(&sum, t, &t->threads[i]);
    bool whole = trace_whole(t) && !sum.unresolved && !sum.nameless && !sum.no_memory;
    fprintf(to, "%s: %s\n", file, whole ? "whole" : "NOT whole: what could be read is read, the rest is named below");
    print_file(to, t);
    print_threads(to, t);
    print_spans(to, &sum);
    print_losses(to, t, &sum);
    print_coverage(to, t);
    print_damages(to, t, &sum);
    return whole ? OVH_EXIT_FINE : OVH_EXIT_DEGRADED;
}
