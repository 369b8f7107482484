/* SPDX-License-Identifier: Apache-2.0
 *
 * Ids of MODULE definitions by place: the same parent, name and type is the same id, so that a network that is made anew goes on
 * in its rows, and memory and trace grow with the places, not with the objects. Attached threads only.
 */
#ifndef OVH_PYTHON_MODULE_PLACES_H
#define OVH_PYTHON_MODULE_PLACES_H

#include "preload/writer/thread.h"

/* False: no memory. */
OVH_HIDDEN OVH_COLD bool module_places_start(void);
/* The id of the child `name` of module `parent`; a definition where it is new. */
OVH_HIDDEN OVH_COLD uint32_t module_place(uint32_t parent, const char *name, const char *type);
/* The id of one more root of that type: "", "#2", "#3" ... */
OVH_HIDDEN OVH_COLD uint32_t module_root(const char *type);
/* The id of all modules of that type that are called inside others and are nobody's child: made for one call, or held by a list. */
OVH_HIDDEN OVH_COLD uint32_t module_unnamed(const char *type);
/* A root has found its place: the definition is given anew. */
OVH_HIDDEN OVH_COLD void module_adopt(uint32_t id, uint32_t parent, const char *name, const char *type);

#endif
