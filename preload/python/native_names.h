/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_NATIVE_NAMES_H
#define OVH_PYTHON_NATIVE_NAMES_H

#include "preload/python/native_steps.h"

struct native_name {
    char text[256]; /* `torch._C._nn.linear`, `list.append`, `object.__setattr__`, `range` */
    char file[128]; /* the library that the code is in; of a class of Python its module */
};
/* What a callable is called. Attached; may use the interpreter's API, runs no Python code, keeps the error indicator clear. */
OVH_HIDDEN OVH_COLD void native_name_of(enum native_kind kind, const char *callable, struct native_name *name);

#endif
