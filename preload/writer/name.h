/* SPDX-License-Identifier: Apache-2.0
 *
 * Which name the trace file takes, and how two processes never take the same one: docs/environment.md says it for the user.
 */
#ifndef OVH_WRITER_NAME_H
#define OVH_WRITER_NAME_H

#include "preload/writer/thread.h"

struct ovh_name {
    int dir;             /* the directory, open */
    char path[4352];     /* its path, "" for the current one, then the file's name: for messages and for opening it again */
    uint32_t file;       /* where in `path` the file's name begins */
    char temporary[64];  /* in `dir` */
};

/* A new file, mode 0600, locked, under a temporary name in the directory it belongs to. Returns its descriptor (close-on-exec,
 * high-numbered where that can be had), -1 with errno. Never follows a symbolic link in the last part of a name. */
OVH_HIDDEN int ovh_name_create(struct ovh_name *name);
/* Gives the file its real name: trace.bin; trace.rankN.bin under a launcher; with the process id where that name belongs to a live
 * process or to something that is not a trace of this user. A finished trace of that name becomes NAME.old. False with errno: it is gone. */
OVH_HIDDEN bool ovh_name_publish(struct ovh_name *name);
OVH_HIDDEN void ovh_name_done(struct ovh_name *name); /* closes the directory */

#endif
