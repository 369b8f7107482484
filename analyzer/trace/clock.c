/* SPDX-License-Identifier: Apache-2.0
 *
 * From ticks to ns (docs/trace-format.md, section 6).
 */
#include "analyzer/trace/clock.h"

#include "analyzer/trace/cursor.h"
#include "analyzer/trace/inside.h"

#include <stdlib.h>

#define NS 1000000000ull
#define APART_NS 1000000ull /* anchors nearer than this to the last one used are left out */
#define APART_WIDTHS 1000u
/* A rate beyond 1 000 ns per tick (a counter below 1 MHz) or below 0.01 (100 GHz) is no CPU's: such an anchor is wrong. */
#define RATE_MAX (1000ull << 32)
#define RATE_MIN ((1ull << 32) / 100)

static int by_tick(const void *a, const void *b)
{
    const struct ovh_def_anchor *x = a, *y = b;
    return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* The head's clocks and all anchors, by tick. */
static struct ovh_def_anchor *anchors_collect(const struct trace *t, size_t *n)
{
    struct trace_defs d;
    struct trace_def def;
    struct ovh_def_anchor *a = malloc(sizeof *a);
    TRACE_RETURN_IF(!a, NULL);
    a[0] = (struct ovh_def_anchor){t->head.start_tick, t->head.start_monotonic, t->head.start_realtime, 0};
    *n = 1;
    for (trace_defs_begin(&d, t); trace_defs_next(&d, &def);) {
        if (def.type != OVH_D_ANCHOR)
            continue;
        if (!trace_grow((void **)&a, *n, sizeof *a)) {
            free(a);
            return NULL;
        }
        a[(*n)++] = def.anchor;
    }
    qsort(a, *n, sizeof *a, by_tick);
    return a;
}

/* ns per tick between two anchors, 0: the second one can't be used. */
static uint64_t rate_between(const struct ovh_def_anchor *a, const struct ovh_def_anchor *b)
{
    TRACE_RETURN_IF(b->tick <= a->tick || b->monotonic <= a->monotonic, 0);
    uint64_t ns = b->monotonic - a->monotonic, ticks = b->tick - a->tick;
    unsigned __int128 width = (unsigned __int128)(b->width > a->width ? b->width : a->width) * APART_WIDTHS;
    TRACE_RETURN_IF(ns < APART_NS || ticks < width, 0);
    unsigned __int128 rate = ((unsigned __int128)ns << 32) / ticks;
    return rate > RATE_MAX || rate < RATE_MIN ? 0 : (uint64_t)rate;
}

static void pieces_add(struct trace_clock *c, const struct ovh_def_anchor *a, size_t n, uint64_t stated)
{
    size_t last = 0;
    c->pieces[0] = (struct trace_clock_piece){a[0].tick, 0, stated};
    for (size_t i = 1; i < n; i++) {
        uint64_t rate = rate_between(&a[last], &a[i]);
        if (!rate)
            continue;
        struct trace_clock_piece *p = &c->pieces[c->n - 1];
        p->rate = rate;
        c->pieces[c->n++] =
            (struct trace_clock_piece){a[i].tick, (int64_t)((uint64_t)p->ns + (a[i].monotonic - a[last].monotonic)), rate};
        c->stated = false;
        last = i;
    }
}

bool trace_clock_make(struct trace_clock *c, const struct trace *t)
{
    size_t n = 0;
    *c = (struct trace_clock){
        .start_monotonic = t->head.start_monotonic, .start_realtime = t->head.start_realtime, .n = 1, .stated = true};
    struct ovh_def_anchor *anchors = anchors_collect(t, &n);
    c->pieces = anchors ? malloc((n + 1) * sizeof *c->pieces) : NULL;
    if (!c->pieces) {
        free(anchors);
        return false;
    }
    bool counter = t->head.clock == OVH_CLOCK_COUNTER;
    uint64_t stated = counter ? (uint64_t)(((unsigned __int128)NS << 32) / t->head.tick_hz) : 1ull << 32;
    pieces_add(c, anchors, counter ? n : 1, stated);
    free(anchors);
    /* Time 0 is the head's start, wherever it lies among the anchors. */
    int64_t start = trace_clock_find(c, t->head.start_tick);
    for (size_t i = 0; i < c->n; i++)
        c->pieces[i].ns = (int64_t)((uint64_t)c->pieces[i].ns - (uint64_t)start);
    return true;
}

void trace_clock_free(struct trace_clock *c)
{
    free(c->pieces);
    c->pieces = NULL;
}

int64_t trace_clock_find(struct trace_clock *c, uint64_t tick)
{
    size_t low = 0, high = c->n; /* the last piece that begins at or before tick, else the first */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (c->pieces[mid].tick <= tick)
            low = mid;
        else
            high = mid;
    }
    c->now = low;
    return trace_clock_piece_ns(&c->pieces[low], tick);
}
