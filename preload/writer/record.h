/* SPDX-License-Identifier: Apache-2.0
 *
 * The hot path: one event is one clock reading and one 4-byte store into the thread's own mapped chunk.
 * Budget: a hooked call (enter and leave) <= 20 ns over the unhooked one on a 2-3 GHz x86 core, of which two clock readings are 15.
 * No lock, no allocation, no system call, no formatted output. A load or branch added here comes with bench figures.
 *
 * Every hook goes the same way:
 *
 *     struct ovh_thread *t = ovh_begin(OVH_ARM_CUDA);   // NULL: pass through
 *     uint32_t depth = ovh_enter(t, id);                // the span is open
 *     ovh_end(t);                                       // the recorder is done, the real function may run
 *     result = real(...);
 *     ovh_resume(t);
 *     ... argument records ...
 *     ovh_leave(t, depth, result != 0);
 *     ovh_end(t);
 */
#ifndef OVH_WRITER_RECORD_H
#define OVH_WRITER_RECORD_H

#include "ovh/trace.h"
#include "preload/writer/clock.h"
#include "preload/writer/thread.h"

/* The current chunk is full, or there is none: take the next one (scratch where there is none to have) and start it with a
 * snapshot of the open spans. Keeps errno. Called with busy set. */
OVH_HIDDEN OVH_COLD void ovh_chunk_next(struct ovh_thread *t);
/* The forms that do not fit in 4 bytes. They write the event and set t->last. Called with busy set. */
OVH_HIDDEN OVH_COLD void ovh_enter_long(struct ovh_thread *t, uint32_t id, uint64_t now);
OVH_HIDDEN OVH_COLD void ovh_leave_long(struct ovh_thread *t, bool failed, uint64_t now);
/* Spans above `depth` were left without a leave (longjmp, exception through C): say so in the trace. */
OVH_HIDDEN OVH_COLD void ovh_unwind(struct ovh_thread *t, uint32_t depth);
/* The open spans (`open`, `depth`) were set anew: says so in the trace, now. */
OVH_HIDDEN OVH_COLD void ovh_snapshot(struct ovh_thread *t);

#define OVH_COMPILER_ORDER() __asm__ volatile("" ::: "memory")

static inline void ovh_resume(struct ovh_thread *t)
{
    t->busy = 1;
    OVH_COMPILER_ORDER();
}

static inline void ovh_end(struct ovh_thread *t)
{
    OVH_COMPILER_ORDER();
    t->busy = 0;
}

/* Returns the thread's block with `busy` set, or NULL when this call is not to be recorded. */
static inline struct ovh_thread *ovh_begin(uint32_t arm)
{
#ifdef OVH_TWIN
    return 0; /* libovh-twin.so: the same symbols and wrappers, records nothing */
#endif
    if (ovh_unlikely(!(ovh_armed & arm)))
        return 0;
    struct ovh_thread *t = ovh_self;
    if (ovh_unlikely(!t)) {
        t = ovh_thread_start();
        if (!t || !(ovh_armed & arm)) /* the trace was opened just now: what is to be recorded is known since then */
            return 0;
    }
    if (ovh_unlikely(t->busy)) {
        t->lost++;
        return 0;
    }
    ovh_resume(t);
    return t;
}

/* Opens a span. Returns the depth to hand to ovh_leave. */
static inline uint32_t ovh_enter(struct ovh_thread *t, uint32_t id)
{
    uint64_t now = ovh_tick(), delta = now - t->last;
    if (ovh_likely(delta <= OVH_ENTER_DELTA_MAX && id <= OVH_ENTER_ID_MAX)) {
        *t->next++ = OVH_ENTER_WORD(id, delta);
        t->last = now;
    } else {
        ovh_enter_long(t, id, now);
    }
    uint32_t depth = t->depth;
    t->open[depth % OVH_DEPTH] = id;
    t->depth = depth + 1;
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t);
    return depth;
}

/* Closes the span that ovh_enter opened at `depth`. */
static inline void ovh_leave(struct ovh_thread *t, uint32_t depth, bool failed)
{
    if (ovh_unlikely(t->depth != depth + 1))
        ovh_unwind(t, depth + 1);
    uint64_t now = ovh_tick(), delta = now - t->last;
    if (ovh_likely(delta <= OVH_LEAVE_DELTA_MAX)) {
        *t->next++ = OVH_LEAVE_WORD(failed, delta);
        t->last = now;
    } else {
        ovh_leave_long(t, failed, now);
    }
    t->depth = depth;
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t);
}

/* Argument records: ovh_put(t, type, arg, words) and then ovh_put_32/64 for exactly that many words, the payload first in the
 * text, the word that makes it visible last: a kill in between leaves a zero word there, which reads as "not written". */
static inline uint32_t *ovh_put(struct ovh_thread *t, uint32_t words)
{
    uint32_t *w = t->next;
    t->next = w + 1 + words;
    return w;
}

static inline void ovh_put_64(uint32_t *w, uint64_t value)
{
    w[0] = (uint32_t)value;
    w[1] = (uint32_t)(value >> 32);
}

static inline void ovh_put_done(uint32_t *w, uint32_t type, uint32_t words, uint32_t arg)
{
    OVH_COMPILER_ORDER();
    *w = OVH_RECORD_WORD(type, words, arg);
}

#endif
