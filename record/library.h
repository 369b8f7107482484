/* SPDX-License-Identifier: Apache-2.0
 *
 * Where libovh.so lies, and how it gets into the command's environment.
 */
#ifndef OVH_RECORD_LIBRARY_H
#define OVH_RECORD_LIBRARY_H

/* Folder that ovh-record's own file lies in, without a trailing slash. The caller owns it; NULL where /proc cannot tell. */
char *record_own_folder(void);

/* Absolute path of libovh.so: beside ovh-record (a build tree), in LIBDIR, or in ../lib from ovh-record (a tree that was moved).
 * Ends ovh-record with one sentence where there is none, or where its path cannot stand in LD_PRELOAD. The caller owns it. */
char *record_library_find(void);

/* Puts `library` first in LD_PRELOAD, what was there behind it. A second mention of the same path is left out. */
void record_preload_first(const char *library);

#endif
