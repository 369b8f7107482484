/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_LOSS_H
#define OVH_WRITER_LOSS_H

#include "preload/writer/thread.h"

/* Writes the counts that have changed since the last time. `all` false: only those that doubled (the room for them is bounded). */
OVH_HIDDEN void ovh_loss_write(bool all);
OVH_HIDDEN void ovh_loss_forked(void); /* a child counts for itself */

#endif
