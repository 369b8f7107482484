/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that this process has mapped as code, with their build-ids; and what their paths tell of versions (versions.c).
 */
#ifndef OVH_WRITER_OBJECTS_H
#define OVH_WRITER_OBJECTS_H

#include "preload/writer/thread.h"

/* Defines what has been loaded since the last time. Cheap where nothing has. Never under a lock of ours. */
OVH_HIDDEN void ovh_objects_define(void);
/* Number of a defined object by its first byte and the loader's path ("" for the program); 0: not defined. */
OVH_HIDDEN uint32_t ovh_object_number(uint64_t base, const char *path);
/* Around fork: the loader's list must not be locked by our thread in the child. */
OVH_HIDDEN void ovh_objects_before_fork(void);
OVH_HIDDEN void ovh_objects_after_fork(void);
OVH_HIDDEN void ovh_objects_forked(void);

/* One mapped file, once: what it tells of the program's libraries goes into the head. */
OVH_HIDDEN void ovh_versions_see(const char *path);

#endif
