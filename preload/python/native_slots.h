/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectorcall slot of one object: of a C function, of a method descriptor, of a type. The object keeps all else that it is.
 *
 * From 3.11 on the interpreter calls functions of the kinds METH_O, METH_NOARGS and METH_FASTCALL past their slot where it has
 * specialised a call site, after it has compared their flags for equality. While armed such an object points to a copy of its
 * PyMethodDef with the same function and METH_COEXIST added, a flag that means nothing after a type was made: the comparison fails,
 * the slot is used.
 */
#ifndef OVH_PYTHON_NATIVE_SLOTS_H
#define OVH_PYTHON_NATIVE_SLOTS_H

#include "preload/python/native_objects.h"

enum { NATIVE_SLOTS = 2048 };

/* Patches `slot` of `object` (a vectorcall pointer, not NULL), now if armed; `method` (may be NULL) is where the object keeps its
 * PyMethodDef. Takes a reference to the object, for good. Nothing happens where it is known already or there is no more room. */
OVH_HIDDEN OVH_COLD void native_slot_add(const char *object, uint32_t slot, uint32_t method, uint32_t step);
OVH_HIDDEN bool native_slot_known(const char *object);
OVH_HIDDEN void native_slots_arm(void);
OVH_HIDDEN void native_slots_disarm(void);

/* For the coverage. */
struct native_slots_state {
    uint32_t used, given_up;
    uint64_t calls;
};
OVH_HIDDEN struct native_slots_state native_slots_state(void);

#endif
