/* SPDX-License-Identifier: Apache-2.0
 *
 * Who writes a table that is read without a lock: one thread at a time, and nobody waits for long. Who does not get it goes without: a signal
 * handler inside the writer at once, since it would wait for itself; others after a little while, as in the child of a fork in the middle
 * of a write. No system call but sched_yield, no allocation: also inside malloc.
 */
#ifndef OVH_CUDA_WRITING_H
#define OVH_CUDA_WRITING_H

#include "preload/writer/thread.h"
#include <sched.h>

struct ovh_writing {
    void *by; /* an address that only one thread has, NULL: nobody */
};

static inline bool ovh_write_begin(struct ovh_writing *w)
{
    void *me = &ovh_self;
    for (int tries = 0; tries < 1000; tries++) {
        void *by = 0;
        if (__atomic_compare_exchange_n(&w->by, &by, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
        if (by == me)
            return false;
        if (tries > 50)
            sched_yield();
    }
    return false;
}

static inline void ovh_write_end(struct ovh_writing *w)
{
    __atomic_store_n(&w->by, (void *)0, __ATOMIC_RELEASE);
}

#endif
