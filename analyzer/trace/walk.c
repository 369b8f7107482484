/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules for open spans (docs/trace-format.md, section 4.2): all but the three common words, which walk.h has inline.
 */
#include "analyzer/trace/walk.h"

#include "analyzer/trace/cursor.h"
#include "analyzer/trace/events.h"

#include <stdlib.h>

#define ROOM_FIRST 256u
#define NONE UINT32_MAX

enum state { READING, BREAK_SAID, DONE };

void trace_walk_begin(struct trace_walk *w, const struct trace *trace, const struct trace_thread *thread)
{
    *w = (struct trace_walk){.trace = trace, .thread = thread, .part = thread->part, .closing = NONE};
}

void trace_walk_end(struct trace_walk *w)
{
    free(w->open);
    free(w->snapshot);
    w->open = w->snapshot = NULL;
    w->at = w->end = NULL;
    w->state = DONE;
}

/* Room for n ids, or the end of the walk. */
static bool room_for(struct trace_walk *w, uint32_t **ids, uint32_t *room, size_t n)
{
    TRACE_RETURN_IF(n <= *room, true);
    size_t want = *room ? *room : ROOM_FIRST;
    while (want < n)
        want *= 2;
    uint32_t *more = want > UINT32_MAX / 4 ? NULL : realloc(*ids, want * sizeof *more);
    if (!more) {
        w->no_memory = true;
        w->state = DONE;
        w->at = w->end;
        return false;
    }
    *ids = more;
    *room = (uint32_t)want;
    return true;
}

static bool hand_out(struct trace_walk *w, struct trace_event *ev, enum trace_event_kind kind, uint32_t flags, uint32_t id,
                     uint32_t depth)
{
    if (w->tick >= w->shown)
        w->shown = w->tick;
    else if (kind == TRACE_ENTER || kind == TRACE_LEAVE)
        w->stepped_back++;
    ev->kind = (uint8_t)kind;
    ev->flags = (uint8_t)flags;
    ev->id = id;
    ev->depth = depth;
    ev->tick = w->shown;
    return true;
}

static void close_to(struct trace_walk *w, uint32_t depth, uint32_t flags)
{
    if (w->depth > depth) {
        w->closing = depth;
        w->closing_flags = flags;
    }
}

static bool close_one(struct trace_walk *w, struct trace_event *ev)
{
    w->depth--;
    uint32_t flags = w->closing_flags;
    if (w->depth <= w->closing)
        w->closing = NONE;
    w->tick = w->tick > w->shown ? w->tick : w->shown; /* no event of the file: it can't step back */
    return hand_out(w, ev, TRACE_LEAVE, flags, w->open[w->depth], w->depth);
}

static bool open_one(struct trace_walk *w, struct trace_event *ev, uint32_t id, uint32_t flags)
{
    TRACE_RETURN_IF(!room_for(w, &w->open, &w->room, (size_t)w->depth + 1), false);
    w->open[w->depth] = id;
    return hand_out(w, ev, TRACE_ENTER, flags, id, w->depth++);
}

/* The snapshot is complete: what is open and not in it will be closed, the rest of it opened. */
static void snapshot_apply(struct trace_walk *w, bool cut)
{
    uint32_t n = w->snapshot_n, same = 0;
    if (cut) {
        if (n <= w->depth && (n == 0 || memcmp(w->open + w->depth - n, w->snapshot, n * sizeof *w->open) == 0)) {
            w->opening = n;
            return;
        }
    } else {
        while (same < n && same < w->depth && w->open[same] == w->snapshot[same])
            same++;
    }
    close_to(w, same, TRACE_CUT);
    w->opening = same;
}

static void snapshot_take(struct trace_walk *w, const struct trace_item *item)
{
    if (item->arg & OVH_SNAPSHOT_FIRST)
        w->snapshot_n = 0;
    if (!room_for(w, &w->snapshot, &w->snapshot_room, (size_t)w->snapshot_n + item->words))
        return;
    if (item->words)
        memcpy(w->snapshot + w->snapshot_n, item->data, item->words * sizeof *w->snapshot);
    w->snapshot_n += item->words;
    w->opening = w->snapshot_n; /* nothing to open until it is complete */
    if (!(item->arg & OVH_SNAPSHOT_MORE))
        snapshot_apply(w, item->arg & OVH_SNAPSHOT_CUT);
}

/* True: *ev is filled. False: the record was resolved here, or is left out. */
static bool record_take(struct trace_walk *w, struct trace_event *ev, const struct trace_item *item)
{
    TRACE_RETURN_IF(trace_record_short(item), false);
    switch (item->type) {
    case OVH_R_TIME:
    case OVH_R_THREAD:
        return false;
    case OVH_R_SNAPSHOT:
        snapshot_take(w, item);
        return false;
    case OVH_R_UNWIND:
        close_to(w, item->arg < w->depth ? w->depth - item->arg : 0, TRACE_UNWOUND);
        return false;
    case OVH_R_WINDOW:
        if (item->arg == OVH_WINDOW_STOPS && w->depth) {
            w->at = item->word; /* read again when they are closed */
            close_to(w, 0, TRACE_CUT);
            return false;
        }
        break;
    }
    ev->type = item->type;
    ev->arg = item->arg;
    ev->words = item->words;
    ev->data = item->data;
    return hand_out(w, ev, TRACE_RECORD, 0, 0, w->depth);
}

static bool item_take(struct trace_walk *w, struct trace_event *ev)
{
    struct trace_words words = trace_words(w->at, (size_t)(w->end - w->at), w->tick);
    struct trace_item item;
    if (trace_words_next(&words, &item) != TRACE_WORD_ITEM) {
        w->at = w->end; /* trace_open has noted it */
        return false;
    }
    w->at = words.at;
    w->tick = words.tick;
    switch (item.kind) {
    case OVH_WORD_ENTER:
    case OVH_WORD_ENTER_LONG:
        return open_one(w, ev, item.id, 0);
    case OVH_WORD_LEAVE:
        if (w->depth == 0) {
            w->orphans++;
            return false;
        }
        w->depth--;
        return hand_out(w, ev, TRACE_LEAVE, item.failed ? TRACE_FAILED : 0, w->open[w->depth], w->depth);
    default:
        return record_take(w, ev, &item);
    }
}

/* The words of the part are used up. True: *ev is filled. */
static bool part_take(struct trace_walk *w, struct trace_event *ev)
{
    bool last = w->part == w->thread->part + w->thread->parts;
    const struct trace_part *next = last ? NULL : &w->trace->parts[w->part];
    if (last && w->depth) {
        close_to(w, 0, TRACE_INCOMPLETE);
        return false;
    }
    if (last) {
        w->state = DONE;
        return false;
    }
    if (next->missing && w->state != BREAK_SAID) {
        if (w->depth) {
            close_to(w, 0, TRACE_CUT);
            return false;
        }
        w->state = BREAK_SAID;
        return hand_out(w, ev, TRACE_BREAK, 0, next->missing, 0);
    }
    w->state = READING;
    w->part++;
    w->at = next->words;
    w->end = next->words + next->n;
    w->tick = next->base_tick;
    return false;
}

static bool pending(const struct trace_walk *w)
{
    return w->closing != NONE || w->opening < w->snapshot_n;
}

static bool next_one(struct trace_walk *w, struct trace_event *ev)
{
    while (w->state != DONE) {
        bool filled;
        if (w->closing != NONE)
            filled = close_one(w, ev);
        else if (w->opening < w->snapshot_n)
            filled = open_one(w, ev, w->snapshot[w->opening++], TRACE_REOPENED);
        else if (w->at < w->end)
            filled = item_take(w, ev);
        else
            filled = part_take(w, ev);
        TRACE_RETURN_IF(filled, true);
    }
    return false;
}

/* While spans wait to be closed or opened, `end` stands at `at`: that keeps the inlined half from reading on. */
bool trace_walk_slow(struct trace_walk *w, struct trace_event *ev)
{
    w->end = w->part_end;
    bool filled = next_one(w, ev);
    w->part_end = w->end;
    if (pending(w))
        w->end = w->at;
    return filled;
}
