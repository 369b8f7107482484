/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/launches.h"

#include "analyzer/model/blocked.h"
#include "analyzer/model/build.h"
#include "analyzer/model/place.h"
#include "analyzer/model/siblings.h"

#include <stdlib.h>
#include <string.h>

#define WAITS 1u
#define UNIT_MOST 65536u /* launch calls of a unit: more are not compared */

struct stream {
    struct launch_call *calls;
    size_t n, room;
    uint8_t *kind; /* by step id: KIND_... */
    uint32_t n_kinds;
    struct blocked_limit limit; /* of launches: how long one takes that did not wait for room in the queue */
};
enum { KIND_NEW, KIND_OTHER, KIND_LAUNCH, KIND_WAIT };

static uint8_t kind_of(struct stream *s, const struct trace *t, uint32_t step)
{
    struct trace_def def;
    if (step < s->n_kinds && s->kind[step])
        return s->kind[step];
    uint8_t kind = KIND_OTHER;
    if (trace_find(t, OVH_D_STEP, step, &def)) {
        uint32_t k = def.step.kind;
        kind = k == OVH_KIND_LAUNCH ? KIND_LAUNCH : k == OVH_KIND_SYNC || k == OVH_KIND_COPY_SYNC ? KIND_WAIT : KIND_OTHER;
    }
    if (step < s->n_kinds)
        s->kind[step] = kind;
    return kind;
}

/* All outermost launches and waits of the unit's thread. */
static bool read_calls(struct stream *s, const struct model *m)
{
    struct trace_walk w;
    struct trace_event ev;
    uint32_t depth = UINT32_MAX; /* of the open one */
    bool fine = true;
    trace_walk_begin(&w, m->trace, place_thread(m));
    while (fine && trace_walk_next(&w, &ev)) {
        if (ev.kind == TRACE_ENTER && depth == UINT32_MAX) {
            uint8_t kind = kind_of(s, m->trace, ev.id);
            if (kind == KIND_OTHER)
                continue;
            depth = ev.depth;
            fine = build_grow((void **)&s->calls, s->n, &s->room, sizeof *s->calls);
            if (fine)
                s->calls[s->n++] = (struct launch_call){.tick = ev.tick, .symbol = ev.id << 1 | (kind == KIND_WAIT ? WAITS : 0)};
        } else if (ev.kind == TRACE_LEAVE && ev.depth == depth) {
            uint64_t ticks = ev.tick - s->calls[s->n - 1].tick;
            s->calls[s->n - 1].ticks = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
            depth = UINT32_MAX;
        }
    }
    fine &= !w.no_memory;
    trace_walk_end(&w);
    return fine;
}

static void find_limit(struct stream *s, const struct model *m)
{
    struct blocked_histogram h = {0};
    for (size_t i = 0; i < s->n; i++)
        if (!(s->calls[i].symbol & WAITS))
            blocked_count(&h, s->calls[i].ticks);
    s->limit = blocked_find(&h, m->ns);
}

/* First call at or behind that tick. */
static size_t call_at(const struct stream *s, uint64_t tick)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->calls[middle].tick < tick)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool same(const struct stream *s, size_t a, size_t b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s->calls[a + i].symbol != s->calls[b + i].symbol)
            return false;
    return true;
}

/* The sequence of the units at the highest level that most of them have: kept by a vote (Boyer and Moore), then counted. */
static size_t find_sequence(struct launch_periods *p, const struct stream *s, const struct model *m)
{
    const struct unit_list *u = m->units;
    size_t from = 0, votes = 0, n = 0, have = 0, units = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < u->n; i++) {
            if (!steady_counts(&m->unit.steady, i, u->list[i].wall))
                continue;
            size_t a = call_at(s, u->list[i].start), length = call_at(s, u->list[i].start + u->list[i].wall) - a;
            bool equal = votes && length == n && same(s, a, from, n);
            if (round) {
                have += equal;
                units++;
            } else if (!votes) {
                from = a, n = length, votes = 1;
            } else {
                votes += equal ? 1 : (size_t)-1;
            }
        }
    p->share = units ? (double)have / (double)units : 0;
    p->unit = p->share >= 0.5 && n <= UNIT_MOST ? n : 0;
    return from;
}

static uint64_t waiting_in(const struct stream *s, size_t from, size_t to)
{
    uint64_t ticks = 0;
    for (size_t i = from; i < to; i++)
        if (s->calls[i].symbol & WAITS)
            ticks += s->calls[i].ticks;
        else if (s->calls[i].ticks > s->limit.above)
            ticks += s->calls[i].ticks - s->limit.usual;
    return ticks;
}

/* One unit with the next one right behind it. */
static bool add_period(struct launch_periods *p, const struct stream *s, size_t at)
{
    uint64_t wall = s->calls[at + p->unit].tick - s->calls[at].tick, waiting = waiting_in(s, at, at + p->unit);
    waiting = waiting < wall ? waiting : wall;
    if (!build_grow((void **)&p->periods, p->n, &p->room, sizeof *p->periods))
        return false;
    p->periods[p->n++] = wall - waiting < UINT32_MAX ? (uint32_t)(wall - waiting) : UINT32_MAX;
    p->ticks += (double)wall;
    p->waiting += (double)waiting;
    return true;
}

/* Calls [at, end) of a window. */
static bool cut_window(struct launch_periods *p, const struct stream *s, size_t sequence, size_t at, size_t end)
{
    while (at + p->unit < end) {
        if (!same(s, at, sequence, p->unit)) {
            at++;
            continue;
        }
        if (s->calls[at + p->unit].symbol == s->calls[sequence].symbol && !add_period(p, s, at))
            return false;
        at += p->unit;
    }
    return true;
}

/* Behind the beginning. A unit that waits itself has no backlog. */
static void find_backlog(struct launch_periods *p, const struct stream *s, const struct model *m, size_t sequence)
{
    size_t from = m->windows.n > 1 ? call_at(s, m->windows.list[1].begin) : 0;
    for (size_t i = 0; i < p->unit; i++)
        if (s->calls[sequence + i].symbol & WAITS)
            return;
    while (from < s->n && !(s->calls[from].symbol & WAITS))
        from++;
    for (size_t first = from + 1, i = first; p->unit && i < s->n; i++) {
        if (!(s->calls[i].symbol & WAITS))
            continue;
        uint64_t units = (i - first) / p->unit;
        double busy = (double)(s->calls[i].tick - s->calls[first].tick), waited = s->calls[i].ticks;
        backlog_add(&p->backlog, m->ns, units, busy, waited, busy + waited);
        first = i + 1;
    }
}

/* Behind the beginning. Waits between the events are few; they are taken for launches where a unit has any. */
static void find_events(struct launch_periods *p, const struct stream *s, const struct model *m, const struct siblings *marks)
{
    uint64_t behind = m->windows.n > 1 ? m->windows.list[1].begin : 0;
    struct told told = {0};
    while (p->unit && siblings_told(marks, &told)) {
        uint64_t units = (call_at(s, told.end) - call_at(s, told.start)) / p->unit;
        if (!units || told.start < behind)
            continue;
        p->events.us += told.us;
        p->events.units += units;
    }
}

static bool cut(struct launch_periods *p, const struct stream *s, const struct model *m, const struct siblings *marks)
{
    const struct windows *w = &m->windows;
    size_t sequence = find_sequence(p, s, m);
    p->windows = calloc(w->n, sizeof *p->windows);
    if (!p->windows)
        return false;
    p->n_windows = w->n;
    find_backlog(p, s, m, sequence);
    find_events(p, s, m, marks);
    for (size_t i = 0; i < w->n; i++) {
        struct launch_window *x = &p->windows[i];
        *x = (struct launch_window){.level = w->list[i].level, .first = p->n, .begin = w->list[i].begin};
        if (!p->unit || w->list[i].settled == UINT64_MAX)
            continue;
        uint64_t end = w->list[i].end < UINT64_MAX ? w->list[i].end : UINT64_MAX - 1;
        if (!cut_window(p, s, sequence, call_at(s, w->list[i].settled + (w->list[i].settle > 0)), call_at(s, end + 1)))
            return false;
        x->n = p->n - x->first;
    }
    return true;
}

bool launches_find(struct launch_periods *p, const struct model *m, const struct siblings *marks)
{
    struct stream s = {0};
    *p = (struct launch_periods){0};
    if (!m->windows.n || m->unit.kind == MODEL_UNIT_NONE || !m->units)
        return true;
    s.n_kinds = 1u << OVH_ENTER_ID_BITS;
    s.kind = calloc(s.n_kinds, 1);
    bool fine = s.kind && read_calls(&s, m);
    if (fine) {
        find_limit(&s, m);
        fine = cut(p, &s, m, marks);
    }
    free(s.kind);
    free(s.calls);
    return fine;
}

void launches_free(struct launch_periods *p)
{
    free(p->windows);
    free(p->periods);
    *p = (struct launch_periods){0};
}
