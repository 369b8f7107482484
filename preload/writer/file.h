/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace file: made under a temporary name, filled, then given its real name (name.c), and grown by whole chunks (here).
 * Space is allocated before it is mapped: a full disk is an answer to handle, never a SIGBUS in the host.
 */
#ifndef OVH_WRITER_FILE_H
#define OVH_WRITER_FILE_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

enum ovh_file_state {
    OVH_FILE_NONE,    /* no file yet */
    OVH_FILE_OPEN,    /* growing */
    OVH_FILE_STOPPED, /* does not grow any more; what is mapped stays in use */
    OVH_FILE_FAILED   /* could not be made: nothing is recorded in this process */
};
OVH_HIDDEN enum ovh_file_state ovh_file_state(void);

/* Makes the file with its head and chunk 0, under a temporary name. Returns chunk 0's header, NULL on failure (said on stderr). */
OVH_HIDDEN struct ovh_chunk_head *ovh_file_make(struct ovh_file_head *head);
/* Gives it its real name; what was written before is there from now on. False on failure (said on stderr, the file is gone). */
OVH_HIDDEN bool ovh_file_publish(const struct ovh_file_head *head);
/* One more chunk: allocated, mapped, all zero but for its `index`. NULL when there is no space (said once; the state is STOPPED). */
OVH_HIDDEN struct ovh_chunk_head *ovh_file_chunk(void);
/* Done with a chunk: unmaps it. */
OVH_HIDDEN void ovh_file_release(struct ovh_chunk_head *chunk);
/* Bytes of payload of every chunk but the first. */
OVH_HIDDEN uint32_t ovh_file_payload_bytes(void);
/* Chunk that was never used is given back: if it is the last one of the file, the next chunk takes its place. */
OVH_HIDDEN void ovh_file_unget(struct ovh_chunk_head *chunk);
/* At the end of the process: what was allocated ahead and not used is cut off. Returns the strides that the file has now, 0: not known. */
OVH_HIDDEN uint32_t ovh_file_trim(void);
/* Nothing more will come, though the process goes on: the file does not grow any more, and is nobody's. What is mapped stays in use. */
OVH_HIDDEN void ovh_file_close(void);
/* In the child of a fork: the parent's file is forgotten (descriptor closed, nothing unmapped). */
OVH_HIDDEN void ovh_file_forked(void);
OVH_HIDDEN const char *ovh_file_path(void);

/* Where the file system cannot allocate space, chunks are memory of our own, written to the file by the keeper every 50 ms, when they
 * are full and at the end: a kill loses what came since. A NOTE in the trace says so. */
OVH_HIDDEN bool ovh_file_copies(void);
OVH_HIDDEN void ovh_file_copy(void);

#endif
