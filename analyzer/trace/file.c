/* SPDX-License-Identifier: Apache-2.0
 *
 * The file: its head, its strides, and opening one (docs/trace-format.md, section 1).
 */
#include <stdlib.h>

#define XXH_INLINE_ALL
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/inside.h"

#include <xxhash.h>

#define CHUNK_HEAD sizeof(struct ovh_chunk_head)

static bool refuse(struct trace_error *e, enum trace_status status, uint32_t value)
{
    e->status = status;
    e->value = value;
    return false;
}

static bool head_possible(const struct ovh_file_head *h)
{
    return h->head_bytes >= sizeof *h && h->head_bytes % 8 == 0 && h->chunk_bytes % 4096 == 0 &&
           h->chunk_bytes >= OVH_CHUNK_BYTES_MIN && h->chunk_bytes <= OVH_CHUNK_BYTES_MAX &&
           h->head_bytes <= h->chunk_bytes - CHUNK_HEAD && h->tick_hz != 0;
}

bool trace_head_check(struct trace *t, struct trace_error *e)
{
    TRACE_RETURN_IF(t->size == 0, refuse(e, TRACE_EMPTY, 0));
    size_t magic = t->size < 8 ? t->size : 8;
    TRACE_RETURN_IF(memcmp(t->bytes, OVH_TRACE_MAGIC, magic) != 0, refuse(e, TRACE_NOT_A_TRACE, 0));
    TRACE_RETURN_IF(t->size < sizeof t->head, refuse(e, TRACE_SHORT, (uint32_t)t->size));
    memcpy(&t->head, t->bytes, sizeof t->head);
    TRACE_RETURN_IF(t->head.major > OVH_TRACE_MAJOR,
                    refuse(e, TRACE_NEWER, t->head.major)); /* before the check: it may have moved */
    uint32_t check = XXH32(t->bytes, offsetof(struct ovh_file_head, check), 0);
    TRACE_RETURN_IF(check != t->head.check, refuse(e, TRACE_HEAD_DAMAGED, 0));
    TRACE_RETURN_IF(t->head.major == 0 || !head_possible(&t->head), refuse(e, TRACE_HEAD_DAMAGED, 1));
    return true;
}

uint64_t trace_strides(const struct trace *t)
{
    return (t->size + t->head.chunk_bytes - 1) / t->head.chunk_bytes;
}

void trace_note_damage(struct trace *t, uint32_t kind, uint64_t offset, uint64_t bytes, uint32_t thread)
{
    t->health.damages++;
    if (t->n_damages == TRACE_DAMAGES_KEPT)
        return;
    if (!t->damages)
        t->damages = calloc(TRACE_DAMAGES_KEPT, sizeof *t->damages);
    if (t->damages)
        t->damages[t->n_damages++] = (struct trace_damage){offset, bytes, kind, thread};
}

bool trace_grow(void **array, size_t n, size_t size)
{
    if (n & (n - 1))
        return true;
    size_t room = n ? 2 * n : 1;
    TRACE_RETURN_IF(room > SIZE_MAX / size, false);
    void *more = realloc(*array, room * size);
    TRACE_RETURN_IF(!more, false);
    *array = more;
    return true;
}

/* The payload's bytes to read, and whether its check fits. */
static void payload_read(struct trace_chunk *c, uint32_t room, uint64_t there)
{
    c->cut = there < room;
    c->n = c->cut ? (uint32_t)there & ~3u : room;
    if (c->head.used == 0)
        return;
    if (c->head.used <= there) {
        c->n = c->head.used;
        c->check_fails = XXH32(c->payload, c->n, 0) != c->head.check;
        c->sealed = !c->check_fails;
    }
}

enum trace_stride trace_stride_read(struct trace *t, uint64_t n, struct trace_chunk *c)
{
    uint64_t offset = n * t->head.chunk_bytes, skip = n == 0 ? t->head.head_bytes : 0, rest = t->size - offset;
    uint32_t stride = t->head.chunk_bytes, room = stride - (uint32_t)(skip + CHUNK_HEAD);
    *c = (struct trace_chunk){.offset = offset};
    if (rest < stride)
        trace_note_damage(t, TRACE_DAMAGE_CUT, t->size, stride - rest, 0);
    TRACE_RETURN_IF(rest < skip + CHUNK_HEAD, TRACE_STRIDE_UNUSED);
    memcpy(&c->head, t->bytes + offset + skip, CHUNK_HEAD);
    TRACE_RETURN_IF(c->head.magic == 0, TRACE_STRIDE_UNUSED);
    const struct ovh_chunk_head *h = &c->head;
    if (h->magic != OVH_CHUNK_MAGIC || h->head_check != XXH32(h, offsetof(struct ovh_chunk_head, used), 0) || h->index != n ||
        h->used > room || h->used % 4 || (h->kind == OVH_CHUNK_EVENTS && h->thread == 0)) {
        trace_note_damage(t, TRACE_DAMAGE_CHUNK_HEAD, offset + skip, room, 0);
        return TRACE_STRIDE_BAD;
    }
    c->payload = t->bytes + offset + skip + CHUNK_HEAD;
    payload_read(c, room, rest - skip - CHUNK_HEAD);
    return TRACE_STRIDE_CHUNK;
}

static bool definition_chunk(struct trace *t, const struct trace_chunk *c)
{
    TRACE_RETURN_IF(!trace_grow((void **)&t->definition_chunks, t->n_definition_chunks, sizeof *t->definition_chunks), false);
    t->definition_chunks[t->n_definition_chunks++] = c->head.index;
    t->health.definition_chunks++;
    return true;
}

static bool stride_take(struct trace *t, uint64_t n)
{
    struct trace_chunk c;
    enum trace_stride what = trace_stride_read(t, n, &c);
    t->health.unused += what == TRACE_STRIDE_UNUSED;
    TRACE_RETURN_IF(what != TRACE_STRIDE_CHUNK, true);
    t->health.chunks++;
    t->health.open += c.head.used == 0;
    t->health.sealed += c.head.used != 0;
    TRACE_RETURN_IF(c.head.kind == OVH_CHUNK_DEFINITIONS, definition_chunk(t, &c));
    if (c.head.kind != OVH_CHUNK_EVENTS) {
        trace_note_damage(t, TRACE_DAMAGE_CHUNK_KIND, c.offset, c.n, 0);
        return true;
    }
    t->health.recycled += c.head.generation;
    if (c.check_fails) {
        trace_note_damage(t, TRACE_DAMAGE_CHUNK, c.offset, c.n, c.head.thread);
        return true;
    }
    return trace_index_chunk(t, &c);
}

/* Does END speak of a longer file? */
static void cut_check(struct trace *t)
{
    struct trace_defs d;
    struct trace_def def;
    uint32_t strides = 0;
    for (trace_defs_begin(&d, t); trace_defs_next(&d, &def);)
        if (def.type == OVH_D_END)
            strides = def.end.strides;
    if (strides > trace_strides(t))
        trace_note_damage(t, TRACE_DAMAGE_CUT, t->size, (strides - trace_strides(t)) * t->head.chunk_bytes, 0);
}

bool trace_open(struct trace *t, const void *bytes, size_t size, struct trace_error *e)
{
    *t = (struct trace){.bytes = bytes, .size = size};
    *e = (struct trace_error){TRACE_FINE, 0};
    TRACE_RETURN_IF(!trace_head_check(t, e), false);
    bool memory = true;
    for (uint64_t n = 0; memory && n < trace_strides(t); n++)
        memory = stride_take(t, n);
    if (!memory || !trace_definitions_collect(t) || !trace_index_finish(t)) {
        trace_close(t);
        return refuse(e, TRACE_NO_MEMORY, 0);
    }
    cut_check(t);
    return true;
}

void trace_close(struct trace *t)
{
    free(t->threads);
    free(t->parts);
    free(t->windows);
    free(t->damages);
    free(t->definition_chunks);
    free(t->definitions);
    *t = (struct trace){0};
}

bool trace_whole(const struct trace *t)
{
    return !t->health.damages && !t->health.missing_chunks && !t->health.lost;
}
