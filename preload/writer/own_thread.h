/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_OWN_THREAD_H
#define OVH_WRITER_OWN_THREAD_H

#include "preload/writer/thread.h"

/* Starts a thread of ours: detached, all signals blocked, a small stack. False: it cannot be made, or OVH_KEEPER=off asks for none.
 * Not under any lock of ours. */
OVH_HIDDEN OVH_COLD bool ovh_own_thread_start(void *(*body)(void *));

#endif
