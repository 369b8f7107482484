/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/walk.h"

#include "preload/python/codes.h"
#include "preload/python/interpreter.h"
#include "preload/python/python.h"
#include "preload/writer/record.h"

#include <errno.h>

/* The open spans become exactly the frames from `top` outwards, in the thread's block only. */
static void open_frames(struct ovh_thread *t, const char *top, bool attached)
{
    uint32_t n = 0;
    for (const char *frame = top; frame; frame = python_frame_back(frame))
        n++;
    t->depth = t->frame_depth = n;
    for (const char *frame = top; frame && n; frame = python_frame_back(frame)) {
        n--;
        if (t->depth - n <= OVH_DEPTH)
            t->open[n % OVH_DEPTH] = python_code_walked(python_frame_code(frame), attached);
    }
}

void python_frames_anew(struct ovh_thread *t)
{
    t->frames_era = ovh_frames_era;
    if (t->depth != t->frame_depth)
        return; /* inside a hooked call, which Python did not leave: the frames under it are older still */
    t->frame = 0;
    t->base_frame = 1;
}

void python_base_tell(struct ovh_thread *t, const char *top)
{
    int error = errno;
    open_frames(t, top, python_attached() != 0);
    t->base_frame = (uint64_t)(uintptr_t)top;
    t->python_scratch[PYTHON_BASE_CODE] = top ? (uint64_t)(uintptr_t)python_frame_code(top) : 0;
    t->at = 0;
    ovh_snapshot(t);
    errno = error;
}
