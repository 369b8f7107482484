/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read of an nn.Module: its type, and the dictionary of its children (`_modules`). No Python code of the program runs for
 * that, nothing is made in the object, no reference is kept. Attached threads only.
 */
#ifndef OVH_PYTHON_MODULE_OBJECTS_H
#define OVH_PYTHON_MODULE_OBJECTS_H

#include "preload/python/native_objects.h"

/* Tells an object from a later one at its address, nearly always. */
struct module_mark {
    const char *type;
    const char *dict; /* the word in which the object keeps its __dict__, or its values */
};

/* Finds what it needs and tries it on an object of its own. NULL, or why modules cannot be read. */
OVH_HIDDEN OVH_COLD const char *module_objects_start(void);

/* The first argument of a Python function whose frame begins. */
static inline const char *module_of_frame(const char *frame)
{
    return (const char *)((uintptr_t)python_pointer(frame, ovh_layout.frame_locals) & ~(uintptr_t)PYTHON_TAG_BITS);
}

/* Where an object of this type keeps it, from the object's start; 0: nowhere known. */
OVH_HIDDEN int64_t module_dict_place(const char *type);

/* Its `_modules`, borrowed: a dictionary, or NULL. A class attribute of that name is not looked at. */
OVH_HIDDEN const char *module_children(const char *module);

/* The next child that is not None, by *at (0 at first); false at the end. Borrowed. */
OVH_HIDDEN bool module_next_child(const char *children, int64_t *at, const char **name, const char **child);

/* "torch.nn.modules.linear.Linear". */
OVH_HIDDEN void module_type_name(const char *type, char *out, size_t size);

#endif
