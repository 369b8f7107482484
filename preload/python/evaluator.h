/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_EVALUATOR_H
#define OVH_PYTHON_EVALUATOR_H

#include "preload/python/interpreter.h"

/* The evaluator (PEP 523) that records enter and leave of every frame, for the version in ovh_layout. */
OVH_HIDDEN python_evaluator *python_evaluator_ours(void);
/* Puts ours into the main interpreter's slot. False: another tool's is there. Attached threads only. */
OVH_HIDDEN OVH_COLD bool python_evaluator_install(void);
/* Takes it out again, if it is there. */
OVH_HIDDEN OVH_COLD void python_evaluator_remove(void);
/* In the child of a fork: a thread that had suspended recording may not be here. */
OVH_HIDDEN void python_evaluator_forked(void);
/* The interpreter is gone, and its slot with it. */
OVH_HIDDEN OVH_COLD void python_evaluator_ended(void);
/* Now and then, from a hooked call: puts ours back where another tool restored the default, and tells where one replaced us. */
OVH_HIDDEN OVH_COLD void python_evaluator_look(void);

#endif
