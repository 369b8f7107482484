/* SPDX-License-Identifier: Apache-2.0
 *
 * How deep recording may go. With a frame evaluator every Python call uses C stack, and from 3.12 on C recursion credit, of which a
 * plain interpreter of 3.11 or newer uses none: a program that recurses deeper than they last would crash or raise RecursionError
 * because of us. Below the floor the evaluator is taken out until the stack is shallow again.
 */
#ifndef OVH_PYTHON_RESERVE_H
#define OVH_PYTHON_RESERVE_H

#include "preload/writer/thread.h"
#include <stdint.h>

/* What reserve.c keeps in ovh_thread.python_scratch. 0: not known yet. */
enum { PYTHON_STACK_FLOOR = 1 };

/* Least C recursion credit at which frames are still recorded: half of what there was at the start. */
extern OVH_HIDDEN int32_t ovh_credit_floor;

/* Sets the thread's stack floor: half of the C stack it has left now. Called from its outermost recorded frame. */
OVH_HIDDEN OVH_COLD void python_reserve_start(struct ovh_thread *t);

#endif
