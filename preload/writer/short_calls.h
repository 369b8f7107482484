/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that only read or set state (QUERY and SET in the hook tables) are many and short: torch's Linear makes some 30 of 10 to 70 ns each,
 * and two clock readings around each cost 20 to 45 ns (docs/results). So those that have proved short are counted by a CALL record of
 * one word, without a clock reading, and one in OVH_TIME_QUERIES, chosen at random, is timed as any other call; the reader takes the
 * time of the counted ones from these. A call that takes long (cudaGetDevice that makes the context, cudaMemGetInfo) is always timed.
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

/* Is this call to be counted only? Then it has been, and the recorder is done with it; `untimed` is to be cleared after the call.
 * Called with busy set, in place of ovh_enter. */
static inline bool ovh_short_call_counted(struct ovh_thread *t, enum ovh_hook hook)
{
    if (ovh_short_calls[hook] < OVH_SHORT_IN_A_ROW)
        return false;
    if (ovh_random(&t->random) <= ovh_timed_share)
        return false;
    *t->next++ = OVH_RECORD_WORD(OVH_R_CALL, 0, OVH_STEP_OF_HOOK(hook));
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t);
    t->untimed = 1;
    ovh_end(t);
    return true;
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
