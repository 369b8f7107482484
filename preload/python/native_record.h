/* SPDX-License-Identifier: Apache-2.0
 *
 * Enter and leave of a C function. Budget: 30 ns per call in a tight loop, of which two clock readings are 15.
 */
#ifndef OVH_PYTHON_NATIVE_RECORD_H
#define OVH_PYTHON_NATIVE_RECORD_H

#include "preload/python/walk.h"
#include "preload/writer/record.h"

struct native_span {
    const char *frame; /* the Python frame that calls */
    uint32_t depth, frame_depth;
};

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

static inline void native_leave(struct ovh_thread *t, struct native_span span, bool failed)
{
    ovh_resume(t);
    if (ovh_unlikely(t->frame != span.frame || t->depth != span.depth + 1)) {
        native_leave_unknown(t, span.depth);
    } else {
        ovh_leave(t, span.depth, failed);
        t->frame_depth = span.frame_depth;
    }
    ovh_end(t);
}

#endif
