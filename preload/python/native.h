/* SPDX-License-Identifier: Apache-2.0
 *
 * C functions called from Python (level 3): spans of class `native`. Nothing is patched that a program could see: hash, equality,
 * pickling and signature of a function are what they were, torch.compile finds the same functions.
 *
 * Three mechanisms, each in a file of its own, see all but a few calls of CPython 3.11 and newer (3.9, 3.10: without the third):
 *   native_slots.c  the vectorcall slot of a C function, method descriptor or type that was met
 *   native_call.c   tp_call of the types of C functions, slot wrappers and types: whatever has no vectorcall
 *   native_cache.c  the interpreter's own pointers to isinstance, len and list.append, by which it calls them without their slots
 * native_learn.h: how it is found out what to patch. native_meet.c: which slot of which object that is.
 */
#ifndef OVH_PYTHON_NATIVE_H
#define OVH_PYTHON_NATIVE_H

#include "preload/writer/thread.h"

/* Once, attached, before frames are recorded: finds what it needs, self-tests. False: not here; the trace says why (python.native).
 */
OVH_HIDDEN OVH_COLD bool python_native_start(void);
/* Recording begins and ends. Some stores per patched object: about a microsecond. A slot is touched only while it holds ours or
 * what was there when it was met; one that somebody else changed is left to him for ever. Attached. */
OVH_HIDDEN void python_native_arm(void);
OVH_HIDDEN void python_native_disarm(void);
/* The interpreter has been finalised, and its objects with it: none is touched any more. Off for good. */
OVH_HIDDEN OVH_COLD void python_native_ended(void);

/* A code object is seen for the first time and is kept alive; its frame is about to run (`entering`) or is running. What it calls
 * is learned: native_learn.h. Attached. */
OVH_HIDDEN OVH_COLD void python_native_code(const char *code, bool entering);
/* Something is called: patch it where that makes its calls seen. Attached to the main interpreter. */
OVH_HIDDEN OVH_COLD void python_native_meet(const char *callable);

#endif
