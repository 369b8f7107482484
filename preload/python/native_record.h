/* SPDX-License-Identifier: Apache-2.0
 *
 * Enter and leave of a C function. Budget: 30 ns per call in a tight loop, of which two clock readings are 15.
 */
#ifndef OVH_PYTHON_NATIVE_RECORD_H
#define OVH_PYTHON_NATIVE_RECORD_H

#include "preload/python/walk.h"
#include "preload/writer/record.h"
#include "preload/writer/short_calls.h"

struct native_span {
    const char *frame; /* the Python frame that calls */
    uint32_t depth, frame_depth;
    struct ovh_short_span entered;
};

/* After ovh_begin(OVH_ARM_NATIVE) gave `t`, in place of native_enter: is this call to be counted only? Where what is open is not
 * known, native_enter finds out. */
static inline bool native_counted(struct ovh_thread *t, uint8_t short_in_a_row, uint32_t step)
{
    if (ovh_likely(short_in_a_row < OVH_SHORT_IN_A_ROW))
        return false;
    python_frames_era_check(t);
    return t->frame && ovh_short_step_counted(t, short_in_a_row, step);
}

/* After the call, of which `next` is where its record ended. What was recorded in it stands under its caller: that was the last time. */
static inline void native_counted_end(const struct ovh_thread *t, const uint32_t *next, uint8_t *short_in_a_row)
{
    if (ovh_unlikely(t->next != next))
        *short_in_a_row = 0;
}

/* After ovh_begin(OVH_ARM_NATIVE) gave `t`. CUDA calls that the function makes itself are calls of that frame, as without this
 * span: their line is looked for there. */
static inline struct native_span native_enter(struct ovh_thread *t, uint32_t step)
{
    python_frames_era_check(t);
    if (ovh_unlikely(!t->frame) && t->depth == t->frame_depth)
        ovh_python_at_base(t);
    struct native_span span = {.frame = t->frame, .frame_depth = t->frame_depth};
    bool direct = t->depth == t->frame_depth;
    span.depth = ovh_enter(t, step);
    span.entered = ovh_short_span_entered(t);
    if (direct)
        t->frame_depth = span.depth + 1;
    ovh_end(t);
    return span;
}

/* Around what uses the interpreter's API before a span is opened: a finaliser of the program may run there, whose frames are
 * recorded like all others. */
static inline uint32_t native_pause(struct ovh_thread *t)
{
    uint32_t busy = t ? t->busy : 0;
    if (busy)
        ovh_end(t);
    return busy;
}

static inline void native_go_on(struct ovh_thread *t, uint32_t busy)
{
    if (busy)
        ovh_resume(t);
}

/* What is open is no longer known: another stack (greenlets), or frames told anew meanwhile. */
OVH_HIDDEN OVH_COLD void native_leave_unknown(struct ovh_thread *t, uint32_t depth);

static inline void native_leave(struct ovh_thread *t, struct native_span span, bool failed, uint8_t *short_in_a_row)
{
    ovh_resume(t);
    if (ovh_unlikely(t->frame != span.frame || t->depth != span.depth + 1)) {
        native_leave_unknown(t, span.depth);
    } else {
        ovh_leave(t, span.depth, failed);
        ovh_short_span_left(t, span.entered, short_in_a_row);
        t->frame_depth = span.frame_depth;
    }
    ovh_end(t);
}

#endif
