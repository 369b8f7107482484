/* SPDX-License-Identifier: Apache-2.0
 *
 * Ticks -> ns since the start of the trace, piecewise between the anchors. Never decreasing in the tick.
 */
#ifndef TRACE_CLOCK_H
#define TRACE_CLOCK_H

#include "analyzer/trace/trace.h"

struct trace_clock_piece {
    uint64_t tick; /* from here on */
    int64_t ns;    /* at `tick`, since the head's start_tick (negative: before) */
    uint64_t rate; /* ns per tick, 32 bits of fraction */
};
struct trace_clock {
    struct trace_clock_piece *pieces; /* by tick, at least one */
    size_t n;
    size_t now; /* the piece used last: makes runs of nearby ticks cheap. One clock per thread of the reader */
    uint64_t start_monotonic, start_realtime;
    bool stated; /* no anchor could be used: the rate is the head's tick_hz alone */
};

/* False: no memory. */
bool trace_clock_make(struct trace_clock *c, const struct trace *t);
void trace_clock_free(struct trace_clock *c);
int64_t trace_clock_find(struct trace_clock *c, uint64_t tick);

static inline int64_t trace_clock_piece_ns(const struct trace_clock_piece *p, uint64_t tick)
{
    if (tick >= p->tick)
        return (int64_t)((uint64_t)p->ns + (uint64_t)((unsigned __int128)(tick - p->tick) * p->rate >> 32));
    return (int64_t)((uint64_t)p->ns - (uint64_t)((unsigned __int128)(p->tick - tick) * p->rate >> 32));
}

/* ns since the start of the trace. */
static inline int64_t trace_ns(struct trace_clock *c, uint64_t tick)
{
    const struct trace_clock_piece *p = &c->pieces[c->now];
    if (tick >= p->tick && (c->now + 1 == c->n || tick < p[1].tick))
        return trace_clock_piece_ns(p, tick);
    return trace_clock_find(c, tick);
}

#endif
