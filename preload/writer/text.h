/* SPDX-License-Identifier: Apache-2.0
 *
 * Small files of /proc, /sys and directories read without allocating: stdio and opendir call the host's malloc.
 */
#ifndef OVH_WRITER_TEXT_H
#define OVH_WRITER_TEXT_H

#include "preload/writer/thread.h"
#include <stddef.h>
#include <sys/types.h>

/* The first room - 1 bytes of a file, with a terminating zero. Returns how many, -1 where it cannot be read. */
OVH_HIDDEN ssize_t ovh_text_read(const char *path, char *to, size_t room);
/* The value of the first line "name<separator>value", blanks around it left away. */
OVH_HIDDEN bool ovh_text_field(const char *text, const char *name, char separator, char *to, size_t room);
/* Calls visit for every name in a directory but those that begin with a dot, until it returns false. False: it cannot be read. */
OVH_HIDDEN bool ovh_text_directory(const char *path, bool (*visit)(const char *name, void *data), void *data);
/* How many names there are, and one of them. -1: it cannot be read. */
OVH_HIDDEN int ovh_text_list(const char *path, char *first, size_t room);

#endif
