/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of analyzer/trace/ share while a trace is opened. Not for others.
 */
#ifndef TRACE_INSIDE_H
#define TRACE_INSIDE_H

#include "analyzer/trace/events.h"
#include "analyzer/trace/trace.h"

/* A chunk as its head describes it, the head being found whole. */
struct trace_chunk {
    struct ovh_chunk_head head;
    uint64_t offset;        /* of its stride in the file */
    const uint8_t *payload; /* 8-byte aligned */
    uint32_t n;             /* bytes of payload to read: `used`, or what there is */
    bool sealed;            /* and whole: the check fits */
    bool cut;               /* the file ends inside it */
    bool check_fails;
};

enum trace_stride { TRACE_STRIDE_UNUSED, TRACE_STRIDE_BAD, TRACE_STRIDE_CHUNK };

bool trace_head_check(struct trace *t, struct trace_error *e);
uint64_t trace_strides(const struct trace *t); /* begun ones */
/* Looks at stride n; notes damage of the head in t. */
enum trace_stride trace_stride_read(struct trace *t, uint64_t n, struct trace_chunk *c);

void trace_note_damage(struct trace *t, uint32_t kind, uint64_t offset, uint64_t bytes, uint32_t thread);

/* Grows an array that holds n things of `size` bytes by one; its room is the next power of two. False: no memory. */
bool trace_grow(void **array, size_t n, size_t size);

/* events: splits a chunk into parts, appended to t->parts. */
bool trace_index_chunk(struct trace *t, const struct trace_chunk *c);
/* All chunks are in: order, holes, threads. */
bool trace_index_finish(struct trace *t);

/* windows: a WINDOW record that is long enough; all are in: order, ends, each once. */
bool trace_window_note(struct trace *t, const struct trace_item *item);
void trace_windows_finish(struct trace *t);

/* definitions: counts and collects those of one chunk. Called in order of t->definition_chunks, which it needs sorted. */
bool trace_definitions_collect(struct trace *t);

#endif
