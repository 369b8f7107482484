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

/* Sets the thread's stack floor. Called from its outermost recorded frame. From 3.11 on half of the C stack it has left now may be
 * used: below, Python calls use none. In 3.9 and 3.10 they use about 400 bytes each without us and 64 to 96 more with us, so a
 * program would overflow that much sooner; 512 KiB hold more than the 1000 calls of the default recursion limit. */
OVH_HIDDEN OVH_COLD void python_reserve_start(struct ovh_thread *t);

#endif
