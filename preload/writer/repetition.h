/* SPDX-License-Identifier: Apache-2.0
 *
 * How many launch calls one repetition of the program's work has: windows are made of whole repetitions. Every launch call leaves a
 * number here that stands for what it launches (function and grid); the question is asked when a window ends, never on the way of a launch.
 */
#ifndef OVH_WRITER_REPETITION_H
#define OVH_WRITER_REPETITION_H

#include "preload/writer/thread.h"

#define OVH_LAUNCHES_KEPT 4096u /* a power of two */

/* The last launch calls, of all threads. Racing threads lose one now and then, no more. */
struct ovh_launches {
    uint32_t n; /* since the beginning; wraps */
    uint32_t what[OVH_LAUNCHES_KEPT];
};
extern OVH_HIDDEN struct ovh_launches ovh_launches;

static inline void ovh_launches_add(uint32_t what)
{
    uint32_t n = __atomic_load_n(&ovh_launches.n, __ATOMIC_RELAXED);
    __atomic_store_n(&ovh_launches.what[n % OVH_LAUNCHES_KEPT], what, __ATOMIC_RELAXED);
    __atomic_store_n(&ovh_launches.n, n + 1, __ATOMIC_RELAXED);
}

/* Launch calls per repetition: the smallest distance at which nearly all of the last launches equal each other. `guess`: the last
 * answer, tried first: without it a search takes up to 0.2 ms. 0: none up to a quarter of what is kept. */
OVH_HIDDEN OVH_COLD uint32_t ovh_repetition(uint32_t guess);

#endif
