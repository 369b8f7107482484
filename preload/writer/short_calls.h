/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that only read or set state (QUERY and SET in the hook tables) are many and short: torch's Linear makes some 30 of 10 to 70 ns each,
 * and two clock readings around each cost 20 to 45 ns (docs/results). So those that have proved short are counted by a CALL record of
 * one word, without a clock reading, and one in OVH_TIME_QUERIES, chosen at random, is timed as any other call; the reader takes the
 * time of the counted ones from these. A call that takes long (cudaGetDevice that makes the context, cudaMemGetInfo) is always timed.
 *
 * The same goes for Python functions and C functions called from Python that proved short, and called nothing that is recorded.
 */
#ifndef OVH_WRITER_SHORT_CALLS_H
#define OVH_WRITER_SHORT_CALLS_H

#include "ovh/hooks.h"
#include "preload/writer/random.h"
#include "preload/writer/record.h"

#define OVH_MAY_BE_SHORT(kind) ((kind) == OVH_KIND_QUERY || (kind) == OVH_KIND_SET)

enum { OVH_SHORT_IN_A_ROW = 8 };

/* How many timed calls of a hook in a row were short, up to OVH_SHORT_IN_A_ROW. Threads that race here lose a count, no more. */
extern OVH_HIDDEN uint8_t ovh_short_calls[OVH_HOOKS];
extern OVH_HIDDEN uint64_t ovh_short_ticks; /* OVH_SHORT_CALL in ticks */
extern OVH_HIDDEN uint32_t ovh_timed_share; /* of 2^32: so many of the short calls are timed */

/* Reads OVH_TIME_QUERIES and OVH_SHORT_CALL; `tick_hz`: ticks per second. When the trace is opened. */
OVH_HIDDEN void ovh_short_calls_start(uint64_t tick_hz);

/* Of a step whose last calls were all short: is this one to be counted only? Then it has been. Called with busy set. */
static inline bool ovh_short_step_counted(struct ovh_thread *t, uint8_t short_in_a_row, uint32_t step)
{
    if (short_in_a_row < OVH_SHORT_IN_A_ROW || step > OVH_CALL_ID_MAX || ovh_random(&t->random) <= ovh_timed_share)
        return false;
    *t->next++ = OVH_RECORD_WORD(OVH_R_CALL, 0, step);
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t);
    return true;
}

/* Is this call to be counted only? Then it has been, and the recorder is done with it; `untimed` is to be cleared after the call.
 * Called with busy set, in place of ovh_enter. */
static inline bool ovh_short_call_counted(struct ovh_thread *t, enum ovh_hook hook)
{
    if (!ovh_short_step_counted(t, ovh_short_calls[hook], OVH_STEP_OF_HOOK(hook)))
        return false;
    t->untimed = 1;
    ovh_end(t);
    return true;
}

/* What a span that was just entered looks like, for ovh_short_span_left. */
struct ovh_short_span {
    const uint32_t *next;
    uint64_t began; /* ticks */
};

static inline struct ovh_short_span ovh_short_span_entered(const struct ovh_thread *t)
{
    return (struct ovh_short_span){t->next, t->last};
}

/* It was left by one word just now: was it short, with nothing recorded inside? */
static inline void ovh_short_span_left(const struct ovh_thread *t, struct ovh_short_span span, uint8_t *short_in_a_row)
{
    bool is_short = t->next == span.next + 1 && t->last - span.began <= ovh_short_ticks;
    if (!is_short && *short_in_a_row)
        *short_in_a_row = 0;
    else if (is_short && *short_in_a_row < OVH_SHORT_IN_A_ROW)
        ++*short_in_a_row;
}

/* A call that may be short took so long. */
static inline void ovh_short_call_timed(enum ovh_hook hook, uint64_t ticks)
{
    if (ovh_unlikely(ticks > ovh_short_ticks))
        ovh_short_calls[hook] = 0;
    else if (ovh_unlikely(ovh_short_calls[hook] < OVH_SHORT_IN_A_ROW))
        ovh_short_calls[hook]++;
}

#endif
