/* SPDX-License-Identifier: Apache-2.0
 *
 * When this process records: OVH_DELAY, OVH_DURATION (OVH_STEPS: units.h). The clock runs from the library's load; a child of a
 * fork goes by its parent's clock.
 *
 *     WAITING    hooks are disarmed, no file is made; a thread of ours arms them when it is time (without one, calls look at the
 * clock) RECORDING  from the first CUDA call after that OVER       stop.h
 */
#ifndef OVH_WRITER_RECORDING_H
#define OVH_WRITER_RECORDING_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

/* Is this call too early to open the trace, or too late? Then nothing is recorded of it. Called at a thread's first hooked call. */
OVH_HIDDEN OVH_COLD bool ovh_recording_not_now(void);
/* The trace is open: the duration begins. */
OVH_HIDDEN void ovh_recording_begins(void);
/* Why the first window begins. */
OVH_HIDDEN enum ovh_window_reason ovh_recording_reason(void);
/* Milliseconds until recording is over, UINT64_MAX: no end is set. Rounded up. */
OVH_HIDDEN uint64_t ovh_recording_left_ms(void);
OVH_HIDDEN void ovh_recording_forked(void);

#endif
