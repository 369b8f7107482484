/* SPDX-License-Identifier: Apache-2.0
 *
 * The recorder's locks, for its slow paths only. While one is held the thread is `busy`: a signal handler that calls a hook meanwhile
 * passes through (counted) instead of waiting for a lock that its own thread holds. Order: open, threads, chunk pool, definitions, file; losses stand alone.
 * Never held over a call into the dynamic loader (dlsym, dl_iterate_phdr, pthread_create): another thread may hold the loader's lock
 * and be waiting for ours.
 */
#ifndef OVH_WRITER_LOCK_H
#define OVH_WRITER_LOCK_H

#include "preload/writer/thread.h"

struct ovh_lock {
    uint32_t word; /* 0 free, 1 taken, 2 taken and somebody waits */
};

/* What `busy` was before: give it back to ovh_lock_drop. */
OVH_HIDDEN uint32_t ovh_lock_take(struct ovh_lock *lock);
/* As above, but gives up after about `ms` milliseconds: false, and nothing is held. */
OVH_HIDDEN bool ovh_lock_take_within(struct ovh_lock *lock, uint32_t ms, uint32_t *was_busy);
/* Without waiting. */
OVH_HIDDEN bool ovh_lock_try(struct ovh_lock *lock, uint32_t *was_busy);
OVH_HIDDEN void ovh_lock_drop(struct ovh_lock *lock, uint32_t was_busy);

/* Makes this thread busy without a lock, also before it has a block; a request to end it (pthread_cancel) waits until the end of that. */
OVH_HIDDEN uint32_t ovh_busy_begin(void);
OVH_HIDDEN void ovh_busy_end(uint32_t was_busy);
/* Calls by signal handlers in threads that had no block yet, since the last question. */
OVH_HIDDEN uint32_t ovh_busy_lost(void);

/* Sleep until *word is no longer `value`, a wake, or `ms` milliseconds (0: no limit). */
OVH_HIDDEN void ovh_futex_wait(uint32_t *word, uint32_t value, uint32_t ms);
OVH_HIDDEN void ovh_futex_wake(uint32_t *word, uint32_t n);

#endif
