/* SPDX-License-Identifier: Apache-2.0
 *
 * The keeper: one thread of ours that prepares chunks ahead of need (allocated, mapped, pre-faulted), seals and unmaps full ones, and
 * takes anchors. All signals blocked, small stack. Where it cannot be made, or OVH_KEEPER=off, the program's threads do its work inline.
 */
#ifndef OVH_WRITER_KEEPER_H
#define OVH_WRITER_KEEPER_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

/* Starts it, once per process. Not under any lock of ours. Its first work is ovh_process_late. */
OVH_HIDDEN void ovh_keeper_start(void);
/* A fresh chunk: one prepared, else one made now. NULL: no space. */
OVH_HIDDEN struct ovh_chunk_head *ovh_keeper_chunk(void);
/* A full chunk, to be sealed and unmapped. */
OVH_HIDDEN void ovh_keeper_retire(struct ovh_chunk_head *chunk, uint32_t used);
/* Is there such a thread? Else what it would notice is for the program's own threads to notice. */
OVH_HIDDEN bool ovh_keeper_is_here(void);
/* Recording is over (stop.h): the thread finishes the trace and ends; without one that is done now. */
OVH_HIDDEN void ovh_keeper_stop(void);
/* At the end: seals what waits, gives back what was prepared. Bounded in time. */
OVH_HIDDEN void ovh_keeper_finish(void);
OVH_HIDDEN void ovh_keeper_forked(void);

#endif
