/* SPDX-License-Identifier: Apache-2.0
 *
 * Python functions as units of work (OVH_STEPS, OVH_UNIT): counted where they are entered. While they are awaited an evaluator of
 * its own looks at each frame's code, records nothing, and hands over to the recording one with the unit's frame. While recording,
 * code objects of units never hit the fast path of python_code_id, so that others pay nothing for it.
 */
#ifndef OVH_PYTHON_UNIT_WATCH_H
#define OVH_PYTHON_UNIT_WATCH_H

#include "preload/writer/thread.h"

/* Attached, everything is prepared for recording: puts the watching evaluator in place and disarms CUDA hooks. `tstate`: this
 * thread's. True: a unit that is open in this thread was awaited: recording is to begin now instead. */
OVH_HIDDEN OVH_COLD bool python_unit_watch(const char *tstate);
/* The watching evaluator is in place. */
OVH_HIDDEN OVH_COLD bool python_unit_is_watched(void);
/* A frame of a unit is entered: by python_code_find only, attached, with busy set. */
OVH_HIDDEN OVH_COLD void python_unit_entered(void);
/* The frame that is about to be evaluated is the last unit: it is, and then recording stops. */
OVH_HIDDEN bool python_unit_is_last(const struct ovh_thread *t);
OVH_HIDDEN OVH_COLD void *python_unit_evaluate_last(struct ovh_thread *t, void *tstate, void *frame, int throwflag);

#endif
