/* SPDX-License-Identifier: Apache-2.0
 *
 * tp_call of whole types: what is called without a vectorcall slot goes through it. One store each sees all METH_VARARGS functions
 * (most of PyTorch's and pybind11's), also bound ones that live for one call; slot wrappers (object.__setattr__, super().__init__
 * of a C type); classes called as functions.
 */
#ifndef OVH_PYTHON_NATIVE_CALL_H
#define OVH_PYTHON_NATIVE_CALL_H

#include "preload/python/native_objects.h"

/* The types that are always there. */
OVH_HIDDEN OVH_COLD void native_call_start(void);
/* The type of something that is called: its tp_call is looked at as well from now on, where it is C code that is worth a name. */
OVH_HIDDEN OVH_COLD void native_call_meet_type(const char *type);
/* Whether calls of an object of this type go through a tp_call that is looked at. */
OVH_HIDDEN bool native_call_covers(const char *type);
OVH_HIDDEN void native_call_arm(void);
OVH_HIDDEN void native_call_disarm(void);
OVH_HIDDEN uint64_t native_call_calls(void);

#endif
