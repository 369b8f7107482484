/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose fault is the time: the host's, or the GPU's. Said only from evidence in the trace: waits inside the unit, launches that
 * blocked, waits right behind a run of units, and what the program's own events told it.
 */
#include "analyzer/model/backlog.h"
#include "analyzer/model/build.h"
#include "analyzer/model/period.h"

#define WAIT_SHARE 0.10   /* of a unit's time: from here on waiting decides the verdict */

/* Units [*from, *to) that begin at or after tick `start` and end by `end`. */
static void units_between(const struct unit_list *u, uint64_t start, uint64_t end, size_t *from, size_t *to)
{
    size_t low = 0, high = u->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (u->list[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    *from = low;
    for (high = u->n; low < high;) {
        size_t middle = (low + high) / 2;
        if (u->list[middle].start + u->list[middle].wall <= end)
            low = middle + 1;
        else
            high = middle;
    }
    *to = low;
}

/* Did the frame launch anything between sibling `from` and the mark? */
static bool launched_between(const struct siblings *s, size_t from, size_t before)
{
    for (size_t i = from; i < before && i < s->n; i++)
        if (s->list[i].symbol & PERIOD_LAUNCHES)
            return true;
    return false;
}

/* A run of units [first, last] with a wait behind it. */
static void judge_run(struct backlog *b, const struct model *m, size_t first, size_t last, const struct mark *wait)
{
    const struct unit_at *u = m->units->list;
    uint64_t n = last - first + 1;
    double busy = (double)(u[last].start + u[last].wall - u[first].start), waited = (double)(wait->end - wait->start);
    backlog_add(b, m->ns, n, busy, waited, (double)(wait->end - u[first].start));
}

/* Waits behind runs, in the part of the run that is steady. */
static struct backlog find_backlog(const struct model *m, const struct siblings *s)
{
    struct backlog b = {0};
    const struct unit_list *u = m->units;
    size_t mark = 0;
    for (size_t first = 0, last; first < u->n; first = last + 1) {
        for (last = first; u->list[last].joined; last++)
            ;
        uint64_t end = u->list[last].start + u->list[last].wall;
        size_t behind = u->list[last].first + u->length, next = last + 1 < u->n ? u->list[last + 1].first : s->n;
        while (mark < s->n_marks && (s->marks[mark].kind != MARK_WAIT || s->marks[mark].start < end))
            mark++;
        if (mark == s->n_marks)
            break;
        size_t from = first < m->unit.steady.warmup ? m->unit.steady.warmup : first;
        if (s->marks[mark].before <= next && from <= last && !launched_between(s, behind, s->marks[mark].before))
            judge_run(&b, m, from == first ? first : from, last, &s->marks[mark]);
    }
    return b;
}

/* What cudaEventElapsedTime said, over the units between its events. */
static void find_events(struct model *m, const struct siblings *s)
{
    struct told told = {0};
    double us = 0;
    while (siblings_told(s, &told)) {
        size_t from, to;
        units_between(m->units, told.start, told.end, &from, &to);
        if (to <= from || from < m->unit.steady.warmup)
            continue;
        us += told.us;
        m->verdict.event_units += to - from;
    }
    if (m->verdict.event_units)
        m->verdict.event_us = us / (double)m->verdict.event_units;
}

void verdict_make(struct build *b, const struct siblings *s)
{
    struct model *m = b->m;
    struct model_verdict *v = &m->verdict;
    const struct model_unit *u = &m->unit;
    double n = u->steady.counted ? (double)u->steady.counted : 1, queue = 0;
    /* With windows, most waits are in those of other levels: units are told by their launches. */
    struct backlog log = m->windows.n ? m->correction.backlog : find_backlog(m, s);
    if (!m->windows.n)
        find_events(m, s);
    else if (m->correction.events.units) {
        v->event_us = m->correction.events.us / (double)m->correction.events.units;
        v->event_units = m->correction.events.units;
    }
    for (uint32_t i = 1; i < m->tree.n; i++)
        queue += m->tree.nodes[i].step == CCT_STEP_QUEUE_FULL ? (double)m->tree.nodes[i].unit_self : 0;
    v->wait = (double)u->classes[OVH_CLASS_WAIT].ticks / n;
    v->host = u->steady.mean - v->wait;
    v->corrected = correct_known(m) ? m->correction.estimate.corrected.value : v->host;
    double whole = v->corrected + v->wait;
    v->gpu_runs = log.runs;
    v->prompt_runs = log.prompt_runs;
    v->runs = log.runs + log.prompt_runs;
    if (log.units)
        v->gpu = log.ticks / (double)log.units;
    if (queue / n >= WAIT_SHARE * whole)
        v->kind = MODEL_QUEUE_FULL;
    else if (v->wait >= WAIT_SHARE * whole)
        v->kind = MODEL_SYNC_BOUND;
    else if (log.units > log.prompt_units)
        v->kind = MODEL_GPU_BOUND;
    else if (log.prompt_units)
        v->kind = MODEL_HOST_BOUND;
    if (v->kind == MODEL_HOST_BOUND)
        v->gpu = 0;
}
