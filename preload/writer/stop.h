/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording stops for good while the program goes on: OVH_DURATION is over, or the last of OVH_STEPS. The interpreter's hooks are
 * taken out at its next safe point, and each thread leaves its chunk at its next event: what it wrote behind the stop is taken
 * back, a WINDOW record ends its part, and the leaves of spans that are still open go nowhere. Hooks stay armed for a moment, so
 * that threads come by; then every hook passes through.
 *
 *     ovh_stop -> threads' limits -> ovh_chunk_next -> ovh_stop_thread
 *              -> keeper: waits a little for them, disarms, seals, END, trims the file (without a keeper: at once)
 */
#ifndef OVH_WRITER_STOP_H
#define OVH_WRITER_STOP_H

#include "preload/writer/thread.h"

extern OVH_HIDDEN uint64_t ovh_stop_tick; /* 0: recording has not stopped */

static inline bool ovh_stopped(void)
{
    return ovh_unlikely(__atomic_load_n(&ovh_stop_tick, __ATOMIC_ACQUIRE) != 0);
}

/* Recording is over as of `tick`. By a thread with busy set whose part ends here, or by the keeper; later calls do nothing. Keeps
 * errno. */
OVH_HIDDEN OVH_COLD void ovh_stop(uint64_t tick);
/* Recording is over as of the next event of this thread, which is its own. */
OVH_HIDDEN OVH_COLD void ovh_stop_with_next_event(struct ovh_thread *t);
/* Called where a thread's chunk is full, with busy set: does what was asked for by the function above, or is due by the clock where
 * there is no keeper. */
OVH_HIDDEN void ovh_stop_if_due(const struct ovh_thread *t);
/* What a thread does at its first event after that, in place of taking a new chunk. Called with busy set. */
OVH_HIDDEN OVH_COLD void ovh_stop_thread(struct ovh_thread *t);
/* How many threads have not done it yet: they are in a long call, or do nothing that we see. */
OVH_HIDDEN OVH_COLD uint32_t ovh_stop_left(void);

#endif
