/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_ANCHOR_H
#define OVH_WRITER_ANCHOR_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

/* Counter and system clocks read together: the narrowest of a few tries. ~1 us. */
OVH_HIDDEN struct ovh_def_anchor ovh_anchor_take(void);

/* Decides which clock this process uses (ovh_clock_other) and fills clock, tick_hz and the start_* fields. `simulated`: the function
 * of the simulated device's fake clock, or NULL. Called once, before the first event; ovh_clock_measure some time later. */
OVH_HIDDEN void ovh_clock_choose(struct ovh_file_head *head, uint64_t (*simulated)(void));
/* tick_hz, where the machine does not state it or states it wrongly: measured since ovh_clock_choose (waits until 0.5 ms have passed). */
OVH_HIDDEN void ovh_clock_measure(struct ovh_file_head *head);

#endif
