/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_THREAD_LIST_H
#define OVH_WRITER_THREAD_LIST_H

#include "preload/writer/thread.h"

/* Every block ever made, in use or not. */
OVH_HIDDEN void ovh_thread_each(void (*visit)(struct ovh_thread *t, void *data), void *data);
/* Gives back blocks of threads that are gone without having told (a hook called by the last destructor of a thread starts a block anew). */
OVH_HIDDEN void ovh_thread_sweep(void);
/* In the child of a fork: of all threads only this one lives. */
OVH_HIDDEN void ovh_thread_forked(void);

#endif
