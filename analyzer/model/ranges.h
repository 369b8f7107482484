/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges and marks that the program itself sets (NVTX): what each name took in the whole run, and ranges as units of work
 * (--unit nvtx:NAME).
 *
 * Pushed ranges of a thread nest per domain: a pop closes the one pushed last in its domain. Started ranges may end in another
 * thread and are paired by their number, in whichever order the threads are read. What has no end, or no beginning, has no duration
 * and is counted apart.
 */
#ifndef RANGES_RANGES_H
#define RANGES_RANGES_H

#include "analyzer/trace/walk.h"

#define RANGES_KEPT 65536u /* durations of a name that its median is taken from; of more, as many picked at random */

struct range_row {
    uint32_t id; /* of the RANGE definition */
    const char *domain, *name;
    uint64_t calls, ticks;     /* ranges with both ends, and how long they took together */
    uint64_t median, min, max; /* ticks; once ranges_finish was called */
    uint64_t marks, half;      /* half: ranges of which one end is missing */
    uint64_t *durations;       /* up to RANGES_KEPT */
    size_t durations_room;
    bool unit; /* its pushed ranges are the unit of work */
};

/* Pushed ranges of the thread that is being walked, outermost first. */
struct range_open {
    uint32_t row;
    uint64_t tick;
};

struct ranges {
    struct range_row *rows; /* by id */
    size_t n;
    struct range_open *open;
    size_t n_open, open_room;
    struct range_started *started; /* of which the other end was not met yet */
    uint64_t *unit_calls;          /* by thread index: pushed ranges of unit rows that ended there */
    size_t thread;                 /* index of the thread being walked */
    uint32_t random;
    uint32_t inside; /* unit ranges open in the thread that is being walked */
    bool no_memory;
};

/* `unit`: what --unit says, or NULL. False: no memory. */
bool ranges_begin(struct ranges *r, const struct trace *t, const char *unit);
void ranges_end(struct ranges *r);

/* Does --unit name a range? */
bool ranges_is_unit(const char *unit);

/* A walk over the thread of that index begins: nothing is open. counts: what was is counted as half. */
void ranges_thread(struct ranges *r, size_t index, bool counts);

enum range_edge { RANGE_NOTHING, RANGE_UNIT_BEGINS, RANGE_UNIT_ENDS, RANGE_UNIT_BROKEN };
/* What an event (RANGE record, or one that cursor_breaks) does to the unit of work: of ranges within ranges the outermost counts.
 * Used alone by walks that do not count; ranges_count uses it. */
enum range_edge ranges_follow(struct ranges *r, const struct trace_event *ev);
/* The same, and counts the range. Once per event. */
void ranges_count(struct ranges *r, const struct trace_event *ev);
/* After the last thread: medians. */
void ranges_finish(struct ranges *r);
/* For another walk that follows, where *r may not be changed. Only its `open` is to be freed. */
struct ranges ranges_again(const struct ranges *r);

#endif
