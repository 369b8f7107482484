/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_CALIBRATE_H
#define OVH_WRITER_CALIBRATE_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

/* What recording costs on this machine in a tight loop: one clock reading, one enter and leave. Well under 1 ms. A prior only: in real
 * code a probe costs 1.3 to 2 times as much. */
OVH_HIDDEN void ovh_calibrate(uint64_t tick_hz);

/* For probes that others measure, later: ticks of so many rounds of so many. Sorts them. */
enum { OVH_CALIBRATE_ROUNDS = 64, OVH_CALIBRATE_PER_ROUND = 16 }; /* 32 words per round: fewer than a scratch takes */
OVH_HIDDEN void ovh_calibration(enum ovh_probe probe, uint64_t *ticks);

#endif
