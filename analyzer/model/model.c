/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the model of a trace: the passes in their order, and what is known without them.
 */
#include "analyzer/model/model.h"

#include "analyzer/model/build.h"
#include "analyzer/trace/clock.h"

#include <stdlib.h>
#include <string.h>

static bool find_clock(struct model *m)
{
    struct trace_clock clock;
    const struct trace *t = m->trace;
    m->start = UINT64_MAX;
    for (size_t i = 0; i < t->n_threads; i++) {
        uint64_t first = t->threads[i].parts ? t->parts[t->threads[i].part].base_tick : t->threads[i].start_tick;
        m->start = first < m->start ? first : m->start;
        m->end = t->threads[i].last_tick > m->end ? t->threads[i].last_tick : m->end;
    }
    if (m->start > m->end)
        m->start = m->end;
    m->ns = t->head.tick_hz ? 1e9 / (double)t->head.tick_hz : 1;
    if (m->end == m->start || t->head.clock != OVH_CLOCK_COUNTER)
        return true;
    if (!trace_clock_make(&clock, t))
        return false;
    int64_t ns = trace_ns(&clock, m->end) - trace_ns(&clock, m->start);
    if (!clock.stated && ns > 0)
        m->ns = (double)ns / (double)(m->end - m->start);
    trace_clock_free(&clock);
    return true;
}

static void read_definitions(struct model *m)
{
    struct trace_defs defs;
    struct trace_def def;
    for (trace_defs_begin(&defs, m->trace); trace_defs_next(&defs, &def);) {
        if (def.type == OVH_D_STEP && def.step.class_ == OVH_CLASS_NATIVE)
            m->native_recorded = true;
        if (def.type == OVH_D_COVERAGE)
            native_coverage(&m->native, &def);
        if (def.type == OVH_D_CALIBRATION && m->n_probes < sizeof m->probes / sizeof *m->probes)
            m->probes[m->n_probes++] = (struct model_probe){def.calibration.probe, (double)def.calibration.median_ps / 1000};
    }
}

static void judge_quality(struct model *m)
{
    struct model_quality *q = &m->quality;
    const struct trace_health *h = &m->trace->health;
    q->lost = h->lost;
    q->damages = h->damages;
    q->missing_chunks = h->missing_chunks;
    q->unknown_records = h->unknown_records;
    q->ended = h->ended;
    for (uint32_t i = 1; i < m->tree.n; i++)
        q->unresolved += m->tree.nodes[i].flags & CCT_UNKNOWN ? m->tree.nodes[i].calls : 0;
    q->degraded = q->lost || q->damages || q->missing_chunks || q->unresolved || q->incomplete || q->orphans ||
                  !trace_whole(m->trace) || m->unit.asked; /* the last: a name that nothing has is not resolved either */
}

/* Which launch calls blocked. */
static bool find_blocked(struct build *b)
{
    b->limits = calloc(b->n_histograms + 1u, sizeof *b->limits);
    if (!b->limits)
        return false;
    for (uint32_t i = 1; i <= b->n_histograms; i++) {
        b->limits[i] = blocked_find(&b->histograms[i], b->m->ns);
        b->m->blocked.launches += b->limits[i].launches;
        b->m->blocked.found |= b->limits[i].launches > 0;
    }
    return true;
}

static uint64_t events_of(const struct model *m, uint32_t number)
{
    for (size_t i = 0; i < m->trace->n_threads; i++)
        if (m->trace->threads[i].number == number)
            return m->trace->threads[i].events;
    return 0;
}

static bool build_unit(struct build *b)
{
    struct model *m = b->m;
    struct siblings s = {0};
    if (m->unit.kind == MODEL_UNIT_NONE)
        return true;
    m->unit.complete_python = m->roles[m->unit.role].python > 0;
    b->all = b->done + events_of(m, m->unit.thread); /* pass 2 is short */
    bool fine = siblings_pass(b, &s) && unit_find(b, &s);
    if (fine && m->unit.kind != MODEL_UNIT_NONE) {
        fine = modules_begin(&m->modules, m->trace) && backward_begin(&m->backward, m->trace) && account_pass(b) &&
               correct_make(m, &s) && steps_make(m);
        if (fine)
            verdict_make(b, &s);
    }
    siblings_end(&s);
    return fine;
}

struct model *model_build(const struct trace *trace, const struct model_options *options)
{
    struct model *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    struct build b = {.m = m, .o = options, .all = 2 * trace->health.events};
    m->trace = trace;
    bool fine = find_clock(m) && windows_make(&m->windows, trace, m->start, m->end) && cct_begin(&m->tree, trace);
    if (fine) {
        read_definitions(m);
        fine = ranges_begin(&m->ranges, trace, options->unit) && run_pass(&b) && find_blocked(&b) && loop_find(&b) && build_unit(&b);
        judge_quality(m);
    }
    free(b.role_of);
    free(b.histograms);
    free(b.limits);
    if (fine)
        return m;
    model_free(m);
    return NULL;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    windows_free(&m->windows);
    correct_free(&m->correction);
    cct_end(&m->tree);
    tally_end(&m->kernels);
    counted_end(&m->counted);
    ranges_end(&m->ranges);
    modules_end(&m->modules);
    backward_end(&m->backward);
    unit_list_free(m->units);
    blocks_end(&m->blocks);
    free(m->unit.walls);
    free(m->unit.steps);
    free(m->roles);
    free(m);
}
