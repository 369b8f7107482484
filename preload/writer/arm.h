/* SPDX-License-Identifier: Apache-2.0
 *
 * What is being recorded, switched in one place. Levels: 0 launches and blocking calls, 1 every CUDA call, 2 Python frames as well
 * (DESIGN section 3). For now there is one window: from the first hooked call on, at level 2.
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
/* A new window begins for the process. Each thread says so before its first event there: ovh_window_write. */
OVH_HIDDEN void ovh_window_begin(uint32_t level, enum ovh_window_reason reason);
/* The WINDOW record of the window that is open (called with busy set, a SNAPSHOT follows it). */
OVH_HIDDEN void ovh_window_write(struct ovh_thread *t);

#endif
