/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nn.Module a frame of torch's Module._wrapped_call_impl is a call of: a MODULE record behind the frame's enter names it.
 * The code objects are known by name and file when they are first seen (codes.c), so that other frames pay one test of a bit.
 *
 * A module is known by its address. When one is met that is not, its place in the network is looked for: in the modules below
 * the outermost one that is being called, then it is a root itself; all modules below a root get their names with it. A root
 * that turns out to be another one's child gets its place then.
 *
 * Addresses come back when modules die. Module.__init__ is seen as well: what was known of its argument is forgotten. Objects
 * that are made without it (copied, unpickled), or while frames were not recorded, are noticed by another type, another word of
 * their dictionary, or, when frames are recorded again, by looking at each once more. A module made anew at the address of a
 * dead root of the same type goes on in its row. And whatever is called inside another module must have been met by the last
 * scan from the outermost one, or that scan is made anew.
 */
#ifndef OVH_PYTHON_MODULES_H
#define OVH_PYTHON_MODULES_H

#include "preload/writer/thread.h"

/* Bits beside the id in python_code_slot.id. */
#define PYTHON_CODE_CALLS_MODULE (1u << 31)
#define PYTHON_CODE_MAKES_MODULE (1u << 30)
#define PYTHON_CODE_ID (PYTHON_CODE_MAKES_MODULE - 1)

/* What modules.c keeps in ovh_thread.python_scratch: the outermost call of a module. */
enum { MODULE_OUTER_DEPTH = 4, MODULE_OUTER = 5, MODULE_OUTER_ERA = 6, MODULE_OUTER_SCAN = 7 };

#define PYTHON_MODULES_MAX 65536u /* later ones share one row */

/* Once in each life of the interpreter, attached, before frames are recorded. A note says why where it cannot be done: no code
 * gets a bit then. */
OVH_HIDDEN OVH_COLD void python_modules_start(void);
/* The bits of a code object of this name in this file. */
OVH_HIDDEN OVH_COLD uint32_t python_module_code(const char *name, const char *file);
/* A frame of such code was entered at `depth`; `id` with its bits. Attached, busy. */
OVH_HIDDEN void python_module_frame(struct ovh_thread *t, uint32_t id, uint32_t depth, const char *frame);

#endif
