/* SPDX-License-Identifier: Apache-2.0
 *
 * Event chunks: where a thread's words go. The slow halves of record.h are declared there.
 */
#ifndef OVH_WRITER_CHUNK_H
#define OVH_WRITER_CHUNK_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

/* Says whose a fresh chunk is; from then on a reader takes it for one. */
OVH_HIDDEN void ovh_chunk_label(struct ovh_chunk_head *chunk, enum ovh_chunk_kind kind, uint32_t thread, uint64_t sequence, uint64_t base_tick);
/* Nothing will be written into it any more: its check, then `used`. */
OVH_HIDDEN void ovh_chunk_seal(struct ovh_chunk_head *chunk, uint32_t used);
/* The thread's words go into its scratch, and into no file. */
OVH_HIDDEN void ovh_chunk_scratch(struct ovh_thread *t);
/* A thread begins: it takes over what a dead thread left of its chunk, or a new chunk (else its scratch). Called with busy set. */
OVH_HIDDEN void ovh_chunk_begin(struct ovh_thread *t);
/* A thread has ended: what is left of its chunk is for the next thread that begins. */
OVH_HIDDEN void ovh_chunk_give_up(struct ovh_thread *t);
/* At the end of the process: what dead threads left is sealed. */
OVH_HIDDEN void ovh_chunk_seal_left(void);
OVH_HIDDEN void ovh_chunk_forked(void);

#endif
