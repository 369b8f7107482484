/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/walk.h"

#include "preload/python/codes.h"
#include "preload/python/interpreter.h"
#include "preload/python/python.h"
#include "preload/writer/record.h"
#include <errno.h>

/* Words of a snapshot that may be written without asking for a new chunk (OVH_ROOM is what a record may use). */
enum { SNAPSHOT_WORDS = 400, IDS_PER_RECORD = OVH_RECORD_WORDS_MAX, SNAPSHOT_FIRST = 1, SNAPSHOT_MORE = 2 };

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

static void write_time(struct ovh_thread *t)
{
    uint64_t now = ovh_tick();
    uint32_t *w = ovh_put(t, 2);
    ovh_put_64(w + 1, now);
    ovh_put_done(w, OVH_R_TIME, 2, 0);
    t->last = now;
}

static void write_snapshot(struct ovh_thread *t)
{
    uint32_t done = 0;
    do {
        uint32_t n = t->depth - done, flags = done ? 0 : SNAPSHOT_FIRST;
        if (n > IDS_PER_RECORD) {
            n = IDS_PER_RECORD;
            flags |= SNAPSHOT_MORE;
        }
        uint32_t *w = ovh_put(t, n);
        for (uint32_t i = 0; i < n; i++)
            w[1 + i] = t->open[(done + i) % OVH_DEPTH];
        ovh_put_done(w, OVH_R_SNAPSHOT, n, flags);
        done += n;
    } while (done < t->depth);
}

void python_base_tell(struct ovh_thread *t, const char *top)
{
    int error = errno;
    open_frames(t, top, python_attached() != 0);
    t->base_frame = (uint64_t)(uintptr_t)top;
    t->python_scratch[PYTHON_BASE_CODE] = top ? (uint64_t)(uintptr_t)python_frame_code(top) : 0;
    t->at = 0;
    if (t->depth < SNAPSHOT_WORDS)
        write_time(t), write_snapshot(t);
    if (t->depth >= SNAPSHOT_WORDS || t->next >= t->limit)
        ovh_chunk_next(t); /* begins with a snapshot of the open spans */
    errno = error;
}
