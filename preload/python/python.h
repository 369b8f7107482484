/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rest of the library needs of the CPython side.
 */
#ifndef OVH_PYTHON_PYTHON_H
#define OVH_PYTHON_PYTHON_H

#include "preload/writer/thread.h"

/* At the process's first hooked call (the trace file is open by then), and again at later ones until it answers true: find the
 * interpreter, self-test, arm the frame hook: at once if this thread is attached, else through Py_AddPendingCall. Never takes the
 * GIL. Keeps errno. True: nothing is left to do (armed, walking, no Python in this process, or turned off with a note). */
OVH_HIDDEN OVH_COLD bool ovh_python_start(void);
extern OVH_HIDDEN bool ovh_python_started; /* false again while a switch of level waits for an attached thread */

/* Offset of the instruction word in the interpreter's frame (f_lasti, prev_instr, instr_ptr) and its width in bytes (4 or 8). */
extern OVH_HIDDEN uint32_t ovh_python_instruction_offset, ovh_python_instruction_bytes;
/* True once frames can be read: they are recorded (evaluator) or walked. */
extern OVH_HIDDEN bool ovh_python_reads;

/* Counts how often frames began to be recorded (levels.c): frames that a thread entered before are not known to it. */
extern OVH_HIDDEN uint32_t ovh_frames_era;

/* Slow halves of the function below. Called with busy set; keep errno. The first writes an AT record. The second is for a call with
 * no recorded frame under it: it tells the frames that were open before recording began (SNAPSHOT, AT), or the walked stack
 * (STACK). */
OVH_HIDDEN OVH_COLD void ovh_python_write_at(struct ovh_thread *t, uint64_t instruction);
OVH_HIDDEN void ovh_python_at_base(struct ovh_thread *t);

/* Called by every hooked call just before ovh_enter: tells the line of Python that the call came from, when it is not the one told
 * last. One load where nothing changed. */
static inline void ovh_python_at_call(struct ovh_thread *t)
{
    if (t->depth != t->frame_depth || !(ovh_armed & (OVH_ARM_FRAMES | OVH_ARM_WALK)))
        return; /* called by a hooked call, not by Python; or in a window without Python */
    if (t->frame && t->frames_era == ovh_frames_era) {
        uint64_t at = ovh_python_instruction_bytes == 8
                          ? *(const uint64_t *)(const void *)(t->frame + ovh_python_instruction_offset)
                          : *(const uint32_t *)(const void *)(t->frame + ovh_python_instruction_offset);
        if (ovh_unlikely(at != t->at))
            ovh_python_write_at(t, at);
    } else if (ovh_unlikely(ovh_python_reads)) {
        ovh_python_at_base(t);
    }
}

#endif
