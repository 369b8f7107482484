/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/ranges.h"

#include "analyzer/model/build.h"
#include "analyzer/model/cursor.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(e) ((void)(e), r->no_memory = true)
#include <uthash.h>

#define PREFIX "nvtx:"
#define NO_ROW UINT32_MAX

struct range_started {
    uint32_t number; /* key */
    uint32_t row;
    uint64_t tick;
    bool is_end; /* the end was met first */
    UT_hash_handle hh;
};

bool ranges_is_unit(const char *unit)
{
    return !strncmp(unit, PREFIX, strlen(PREFIX));
}

/* "nvtx:NAME"; a star at the end stands for any rest. */
static bool named(const char *unit, const char *name)
{
    size_t n = strlen(unit);
    return n && unit[n - 1] == '*' ? !strncmp(unit, name, n - 1) : !strcmp(unit, name);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct range_row *)a)->id, y = ((const struct range_row *)b)->id;
    return x < y ? -1 : x > y;
}

/* Definitions of one id: the last one counts, as everywhere. */
static void only_the_last(struct ranges *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++) {
        kept -= kept && r->rows[kept - 1].id == r->rows[i].id;
        r->rows[kept++] = r->rows[i];
    }
    r->n = kept;
}

bool ranges_begin(struct ranges *r, const struct trace *t, const char *unit)
{
    struct trace_defs defs;
    struct trace_def def;
    size_t room = 0;
    *r = (struct ranges){.unit_calls = calloc(t->n_threads + 1, sizeof *r->unit_calls)};
    bool fine = r->unit_calls != NULL;
    for (trace_defs_begin(&defs, t); fine && trace_defs_next(&defs, &def);) {
        if (def.type != OVH_D_RANGE)
            continue;
        fine = build_grow((void **)&r->rows, r->n, &room, sizeof *r->rows);
        if (fine)
            r->rows[r->n++] =
                (struct range_row){.id = def.id,
                                   .domain = def.range.domain,
                                   .name = def.range.name,
                                   .min = UINT64_MAX,
                                   .unit = unit && ranges_is_unit(unit) && named(unit + strlen(PREFIX), def.range.name)};
    }
    if (r->n)
        qsort(r->rows, r->n, sizeof *r->rows, by_id); /* glibc's is stable where there is memory */
    only_the_last(r);
    return fine;
}

void ranges_end(struct ranges *r)
{
    struct range_started *s, *next;
    HASH_ITER(hh, r->started, s, next)
    {
        HASH_DEL(r->started, s);
        free(s);
    }
    for (size_t i = 0; i < r->n; i++)
        free(r->rows[i].durations);
    free(r->rows);
    free(r->open);
    free(r->unit_calls);
    *r = (struct ranges){0};
}

static uint32_t row_of(const struct ranges *r, uint32_t id)
{
    struct range_row key = {.id = id}, *found = r->n ? bsearch(&key, r->rows, r->n, sizeof key, by_id) : NULL;
    return found ? (uint32_t)(found - r->rows) : NO_ROW;
}

static void add(struct ranges *r, uint32_t row, uint64_t from, uint64_t to)
{
    struct range_row *x = &r->rows[row];
    uint64_t ticks = to > from ? to - from : 0;
    size_t at = x->calls;
    if (at >= RANGES_KEPT) {
        r->random = r->random * 1664525u + 1013904223u;
        at = (size_t)((uint64_t)r->random * (x->calls + 1) >> 32);
    } else if (!build_grow((void **)&x->durations, at, &x->durations_room, sizeof *x->durations)) {
        r->no_memory = true;
        return;
    }
    if (at < RANGES_KEPT)
        x->durations[at] = ticks;
    x->calls++;
    x->ticks += ticks;
    x->min = ticks < x->min ? ticks : x->min;
    x->max = ticks > x->max ? ticks : x->max;
}

static void leave_open(struct ranges *r, bool counts)
{
    for (size_t i = 0; counts && i < r->n_open; i++)
        if (r->open[i].row != NO_ROW)
            r->rows[r->open[i].row].half++;
    r->n_open = r->inside = 0;
}

void ranges_thread(struct ranges *r, size_t index, bool counts)
{
    leave_open(r, counts);
    r->thread = index;
}

static enum range_edge push(struct ranges *r, const struct trace_event *ev)
{
    uint32_t row = row_of(r, ev->data[0]);
    if (!build_grow((void **)&r->open, r->n_open, &r->open_room, sizeof *r->open)) {
        r->no_memory = true;
        return RANGE_NOTHING;
    }
    r->open[r->n_open++] = (struct range_open){row, ev->tick};
    bool unit = row != NO_ROW && r->rows[row].unit;
    return unit && r->inside++ == 0 ? RANGE_UNIT_BEGINS : RANGE_NOTHING;
}

/* Closes the range pushed last in the domain of `id`. *closed: its row and tick, row NO_ROW where there is none. */
static enum range_edge pop(struct ranges *r, uint32_t id, struct range_open *closed)
{
    uint32_t any = row_of(r, id);
    const char *domain = any == NO_ROW ? "" : r->rows[any].domain;
    *closed = (struct range_open){NO_ROW, 0};
    for (size_t i = r->n_open; i-- > 0;) {
        const struct range_open *o = &r->open[i];
        if (strcmp(o->row == NO_ROW ? "" : r->rows[o->row].domain, domain))
            continue;
        *closed = *o;
        memmove(&r->open[i], &r->open[i + 1], (r->n_open - i - 1) * sizeof *r->open);
        r->n_open--;
        bool unit = closed->row != NO_ROW && r->rows[closed->row].unit;
        return unit && --r->inside == 0 ? RANGE_UNIT_ENDS : RANGE_NOTHING;
    }
    return RANGE_NOTHING;
}

enum range_edge ranges_follow(struct ranges *r, const struct trace_event *ev)
{
    struct range_open closed;
    if (cursor_breaks(ev)) {
        bool inside = r->inside > 0;
        leave_open(r, false);
        return inside ? RANGE_UNIT_BROKEN : RANGE_NOTHING;
    }
    if (ev->type == OVH_R_RANGE && ev->arg == OVH_RANGE_PUSH)
        return push(r, ev);
    if (ev->type == OVH_R_RANGE && ev->arg == OVH_RANGE_POP)
        return pop(r, ev->data[0], &closed);
    return RANGE_NOTHING;
}

/* A start or an end: with its other end, where that was met, a range. */
static void started(struct ranges *r, uint32_t number, uint32_t row, uint64_t tick, bool is_end)
{
    struct range_started *other;
    HASH_FIND(hh, r->started, &number, sizeof number, other);
    if (other && other->is_end != is_end) {
        add(r, row, is_end ? other->tick : tick, is_end ? tick : other->tick);
        r->rows[other->row].half--;
        HASH_DEL(r->started, other);
        free(other);
        return;
    }
    r->rows[row].half++; /* until the other end comes */
    if (other)
        return;
    struct range_started *s = calloc(1, sizeof *s);
    if (!s) {
        r->no_memory = true;
        return;
    }
    *s = (struct range_started){.number = number, .row = row, .tick = tick, .is_end = is_end};
    HASH_ADD(hh, r->started, number, sizeof number, s);
}

void ranges_count(struct ranges *r, const struct trace_event *ev)
{
    struct range_open closed;
    uint32_t row = ev->kind == TRACE_RECORD && ev->type == OVH_R_RANGE ? row_of(r, ev->data[0]) : NO_ROW;
    if (cursor_breaks(ev)) {
        leave_open(r, true);
        return;
    }
    if (ev->type != OVH_R_RANGE)
        return;
    switch (ev->arg) {
    case OVH_RANGE_PUSH:
        push(r, ev);
        return;
    case OVH_RANGE_POP:
        if (pop(r, ev->data[0], &closed) == RANGE_UNIT_ENDS)
            r->unit_calls[r->thread]++;
        if (closed.row != NO_ROW)
            add(r, closed.row, closed.tick, ev->tick);
        return;
    default:
        break;
    }
    if (row == NO_ROW)
        return;
    if (ev->arg == OVH_RANGE_MARK)
        r->rows[row].marks++;
    else if (ev->words > 1)
        started(r, ev->data[1], row, ev->tick, ev->arg == OVH_RANGE_END);
}

static int by_length(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

struct ranges ranges_again(const struct ranges *r)
{
    struct ranges again = *r;
    again.open = NULL;
    again.n_open = again.open_room = again.inside = 0;
    return again;
}

void ranges_finish(struct ranges *r)
{
    leave_open(r, true);
    for (size_t i = 0; i < r->n; i++) {
        struct range_row *x = &r->rows[i];
        size_t n = x->calls < RANGES_KEPT ? x->calls : RANGES_KEPT;
        if (n)
            qsort(x->durations, n, sizeof *x->durations, by_length);
        x->median = n ? (x->durations[(n - 1) / 2] + x->durations[n / 2]) / 2 : 0;
        x->min = n ? x->min : 0;
    }
}
