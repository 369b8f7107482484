/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread's events in order of time, with its open spans kept: what comes out is balanced. Every TRACE_LEAVE closes the span of
 * an earlier TRACE_ENTER at the same depth; spans still open at the end, at a stop of the recording or at a hole are closed with a
 * flag that says so. docs/trace-format.md, "Open spans", gives the rules.
 */
#ifndef TRACE_WALK_H
#define TRACE_WALK_H

#include "analyzer/trace/trace.h"

enum trace_event_kind {
    TRACE_ENTER = 1,
    TRACE_LEAVE,
    TRACE_RECORD, /* any record but those that the walk itself resolves: TIME, SNAPSHOT, UNWIND, THREAD do not come out */
    TRACE_BREAK /* chunks are missing here: all spans were closed (TRACE_CUT) before; what is open goes on after it (TRACE_REOPENED)
                 */
};

enum trace_event_flags {
    /* of TRACE_LEAVE */
    TRACE_FAILED = 1u << 0,     /* the call raised or returned an error status */
    TRACE_UNWOUND = 1u << 1,    /* no leave was written (exception through C, longjmp): the end is the last event's tick */
    TRACE_CUT = 1u << 2,        /* recording stopped, or events are missing: the true end is later, unknown */
    TRACE_INCOMPLETE = 1u << 3, /* still open when the thread's events end (kill, hang, live file) */
    /* of TRACE_ENTER */
    TRACE_REOPENED = 1u << 4 /* from a snapshot: the span began earlier, before recording or before a hole */
};

/* `tick` never goes down within a walk. */
struct trace_event {
    uint8_t kind;   /* enum trace_event_kind */
    uint8_t flags;  /* enum trace_event_flags */
    uint16_t type;  /* TRACE_RECORD: enum ovh_record (or unknown) */
    uint16_t arg;   /* TRACE_RECORD */
    uint16_t words; /* TRACE_RECORD: of data; never fewer than the type needs */
    uint32_t id;    /* TRACE_ENTER, TRACE_LEAVE: the step; TRACE_BREAK: how many chunks are missing */
    uint32_t depth; /* TRACE_ENTER, TRACE_LEAVE: spans open around this one; else: spans open */
    uint64_t tick;
    const uint32_t *data; /* TRACE_RECORD: in the mapped bytes */
};

struct trace_walk {
    /* the hot line */
    const uint32_t *at, *end; /* words of the part; end == at while spans wait to be closed or opened */
    uint64_t tick;            /* as the file says; may step back */
    uint64_t shown;           /* the last tick handed out */
    uint32_t *open;           /* ids of the open spans, outermost first */
    uint32_t depth, room;
    /* walk.c's */
    const uint32_t *part_end;
    const struct trace *trace;
    const struct trace_thread *thread;
    size_t part; /* the next one, index into trace->parts */
    uint32_t state;
    uint32_t closing, closing_flags; /* spans above this depth are being closed, one per call */
    uint32_t *snapshot;              /* a snapshot put together from its records */
    uint32_t snapshot_n, snapshot_room;
    uint32_t opening; /* how many of snapshot[] are open already */
    /* what the walk met */
    uint64_t orphans;      /* leaves with no span open: left out */
    uint64_t stepped_back; /* events whose tick was below the one before: shown at that one's */
    bool no_memory;        /* ended early */
};

/* `thread` is one of trace->threads. */
void trace_walk_begin(struct trace_walk *w, const struct trace *trace, const struct trace_thread *thread);
void trace_walk_end(struct trace_walk *w);

/* Everything but the three common words. */
bool trace_walk_slow(struct trace_walk *w, struct trace_event *ev);

/* The next event; false at the end of the thread. No allocation but when the stack of open spans outgrows its room. */
static inline bool trace_walk_next(struct trace_walk *w, struct trace_event *ev)
{
    if (w->at < w->end) {
        uint32_t word = *w->at;
        if ((word & 3) == OVH_WORD_LEAVE && w->depth > 0) {
            w->at++;
            w->tick += word >> 3;
            ev->kind = TRACE_LEAVE;
            ev->flags = word >> 2 & 1;
            ev->depth = --w->depth;
            ev->id = w->open[w->depth];
        } else if ((word & 3) == OVH_WORD_ENTER && w->depth < w->room) {
            w->at++;
            w->tick += word >> 16;
            ev->kind = TRACE_ENTER;
            ev->flags = 0;
            ev->id = word >> 2 & OVH_ENTER_ID_MAX;
            ev->depth = w->depth;
            w->open[w->depth++] = ev->id;
        } else if ((word & 0xffff) == OVH_RECORD_WORD(OVH_R_CALL, 0, 0)) { /* as frequent as the two */
            w->at++;
            w->shown = w->tick > w->shown ? w->tick : w->shown;
            *ev = (struct trace_event){.kind = TRACE_RECORD, .type = OVH_R_CALL, .arg = (uint16_t)(word >> 16), .depth = w->depth,
                                       .tick = w->shown, .data = w->at};
            return true;
        } else {
            return trace_walk_slow(w, ev);
        }
        if (w->tick >= w->shown)
            w->shown = w->tick;
        else
            w->stepped_back++;
        ev->tick = w->shown;
        return true;
    }
    return trace_walk_slow(w, ev);
}

#endif
