/* SPDX-License-Identifier: Apache-2.0
 *
 * Raw reads of this thread's Python frames. No GIL is needed: only this thread changes its own frame chain, each live frame keeps
 * its code object alive, and the names of code objects never change.
 */
#ifndef OVH_PYTHON_WALK_H
#define OVH_PYTHON_WALK_H

#include "preload/python/python.h"

/* What the code below keeps in ovh_thread.python_scratch. */
enum { PYTHON_BASE_CODE = 0 };

/* No recorded frame is open in this thread, and no hooked call: the frames that are open now (innermost `top`, may be NULL) began
 * before recording did. Writes a SNAPSHOT when they are not the ones told last. Called with busy set; keeps errno. */
OVH_HIDDEN void python_base_tell(struct ovh_thread *t, const char *top);
static inline void python_base_check(struct ovh_thread *t, const char *top, const char *code)
{
    if (ovh_unlikely(t->base_frame != (uint64_t)(uintptr_t)top || t->python_scratch[PYTHON_BASE_CODE] != (uint64_t)(uintptr_t)code))
        python_base_tell(t, top);
}

/* Frames began to be recorded while this thread had others open that it does not know of: what it knows ends here. */
OVH_HIDDEN OVH_COLD void python_frames_anew(struct ovh_thread *t);
static inline void python_frames_era_check(struct ovh_thread *t)
{
    if (ovh_unlikely(t->frames_era != ovh_frames_era))
        python_frames_anew(t);
}

/* Writes a STACK record, where the one in force is another: the frames from `top` (may be NULL) outwards. Called with busy set;
 * keeps errno. */
OVH_HIDDEN void python_stack_write(struct ovh_thread *t, const char *top);
OVH_HIDDEN OVH_COLD bool python_stacks_start(void);
OVH_HIDDEN void python_stacks_forked(void);

#endif
