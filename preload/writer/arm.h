/* SPDX-License-Identifier: Apache-2.0
 *
 * What is being recorded, switched in one place. Levels: 0 launches and blocking calls, 1 every CUDA call, 2 Python frames as well,
 * 3 C functions called from Python as well (DESIGN section 3). ladder.c decides which level is when.
 */
#ifndef OVH_WRITER_ARM_H
#define OVH_WRITER_ARM_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

/* Sets or clears enum ovh_arm bits; hooks see it at their next call. python/ sets OVH_ARM_FRAMES when its hook is in place. */
OVH_HIDDEN void ovh_arm(uint32_t what);
OVH_HIDDEN void ovh_disarm(uint32_t what);
/* Nothing can be recorded any more in this process: every hook passes through from its next call on. Nothing arms again. */
OVH_HIDDEN void ovh_arm_never(void);
/* From now on a copy of this process that was made past pthread_atfork's handlers (clone(2), _Fork) finds every hook disarmed: it must not
 * write into its parent's file, and nothing else tells it apart from a child that shares its parent's memory (vfork), whose calls are the
 * parent's. False where the kernel cannot do it (before Linux 4.14). Under process.c's lock. */
OVH_HIDDEN bool ovh_arm_not_in_copies(void);
/* fork(3)'s handlers, in the parent and in the child: the child is armed as the parent was. */
OVH_HIDDEN void ovh_arm_before_fork(void);
OVH_HIDDEN void ovh_arm_after_fork(void);
/* The bits that levels 0 and 1 consist of (OVH_ARM_LAUNCH, _CALL, _NESTED) as `level` wants them; those of Python are python/'s. */
OVH_HIDDEN void ovh_arm_calls(uint32_t level);

/* What a WINDOW record says beside number and tick (docs/trace-format.md). */
struct ovh_window {
    uint32_t level;
    enum ovh_window_reason reason;
    uint32_t settle; /* launch calls at its start that an estimate leaves out */
    uint32_t period; /* launch calls per repetition, 0 unknown */
};
/* A new window begins for the process, now. The thread that switches writes it: ovh_window_write. Any thread. */
OVH_HIDDEN void ovh_window_begin(const struct ovh_window *w);
/* The WINDOW record of the window that is open: by who switched, and at the beginning of each chunk. Called with busy set. */
OVH_HIDDEN void ovh_window_write(struct ovh_thread *t);
/* The window that is open ends at `tick`, and none follows: each thread writes the record at its next event. */
OVH_HIDDEN void ovh_window_end(uint64_t tick);
OVH_HIDDEN uint32_t ovh_window_level(void);
OVH_HIDDEN void ovh_window_forked(void);

#endif
