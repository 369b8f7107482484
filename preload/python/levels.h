/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter's part of the ladder of detail: frames come with level 2, C functions called from Python with level 3.
 */
#ifndef OVH_PYTHON_LEVELS_H
#define OVH_PYTHON_LEVELS_H

#include "preload/writer/thread.h"

/* Which of the mechanisms this process has. */
enum python_levels_way { PYTHON_LEVELS_WALK, PYTHON_LEVELS_FRAMES, PYTHON_LEVELS_NATIVE };

/* Once, attached, after the self-test: offers the levels to the ladder, which sets the first one. */
OVH_HIDDEN OVH_COLD void python_levels_start(enum python_levels_way way);
/* They were offered, and the interpreter has not ended since. */
OVH_HIDDEN bool python_levels_are_offered(void);
/* From a hooked call that found !ovh_python_started: a switch of level may be why. False: it is not. */
OVH_HIDDEN OVH_COLD bool python_levels_switch_due(void);
/* Recording of Python becomes that of a level: what is asked for -> what was reached (another tool may be in the slot). The slot is
 * touched only while it holds ours or the default. Attached. */
OVH_HIDDEN uint32_t python_levels_set(uint32_t level);
/* In the child of a fork, at its first hooked call. False: the hooks must be put in place first, by python_levels_restart,
 * attached. */
OVH_HIDDEN OVH_COLD bool python_levels_resume(void);
OVH_HIDDEN OVH_COLD void python_levels_restart(void);
/* The interpreter has been finalised: nothing of it may be touched. python_levels_start begins anew, where another one follows. */
OVH_HIDDEN OVH_COLD void python_levels_ended(void);

#endif
