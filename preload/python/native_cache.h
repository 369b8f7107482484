/* SPDX-License-Identifier: Apache-2.0
 *
 * CPython 3.11 and newer keep pointers to isinstance, len and list.append in the interpreter, and call these three by instructions
 * of their own at sites where they met them. While armed the pointers are NULL: such a site compares, finds another function, and
 * makes an ordinary call, which goes through the object's slot.
 */
#ifndef OVH_PYTHON_NATIVE_CACHE_H
#define OVH_PYTHON_NATIVE_CACHE_H

#include "preload/python/native_objects.h"

/* Finds the three pointers of the main interpreter. False: they are not where this version has them. Attached. */
OVH_HIDDEN OVH_COLD bool native_cache_start(const char *isinstance, const char *len, const char *append);
/* Whether the three are seen: found above, or not needed. */
OVH_HIDDEN bool native_cache_works(void);
OVH_HIDDEN void native_cache_arm(void);
OVH_HIDDEN void native_cache_disarm(void);

#endif
