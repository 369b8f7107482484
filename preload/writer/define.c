/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions: where the records go. What each of them says is in define_records.c.
 *
 * A record's body and check are written first and its `bytes` last, so that a kill in between leaves the end mark there. Definition
 * chunks stay mapped for the life of the process: the child of a fork copies them into its own file, where the same ids must hold.
 * The last KEPT_BACK bytes of a chunk are for what must still be said when the file can no longer grow: losses, notes, the end.
 */
#define _GNU_SOURCE
#include "preload/writer/define_place.h"

#include "preload/writer/check.h"
#include "preload/writer/chunk.h"
#include "preload/writer/define.h"
#include "preload/writer/file.h"
#include "preload/writer/lock.h"
#include <string.h>
#include <sys/mman.h>

enum { KEPT_BACK = 4096, CHUNKS = 8192, PENDING_MAX = 64 << 20, PENDING_FIRST = 64 << 10 };

static struct {
    struct ovh_lock lock;
    struct ovh_chunk_head *chunk; /* the open one, NULL while there is no file */
    uint32_t used, bytes;         /* of its payload */
    uint64_t sequence;            /* of the next chunk */
    struct {
        const uint8_t *payload;
        struct ovh_chunk_head *chunk;
        uint32_t used;
    } all[CHUNKS]; /* this process's, after `inherited` ones of its parent */
    uint32_t n, inherited;
    uint8_t *pending; /* records that wait for the file */
    size_t pending_used, pending_bytes;
} d;

static uint8_t *pending_place(size_t need)
{
    size_t bytes = d.pending_bytes ? d.pending_bytes : PENDING_FIRST;
    while (bytes - d.pending_used < need + sizeof(struct ovh_def_head) && bytes < PENDING_MAX)
        bytes *= 2;
    if (bytes - d.pending_used < need + sizeof(struct ovh_def_head))
        return 0;
    if (bytes != d.pending_bytes) {
        void *more = d.pending ? mremap(d.pending, d.pending_bytes, bytes, MREMAP_MAYMOVE)
                               : mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return 0;
        d.pending = more;
        d.pending_bytes = bytes;
    }
    uint8_t *place = d.pending + d.pending_used;
    d.pending_used += need;
    return place;
}

static void chunk_begin(struct ovh_chunk_head *chunk, uint32_t payload_bytes)
{
    ovh_chunk_label(chunk, OVH_CHUNK_DEFINITIONS, 0, d.sequence++, 0);
    d.chunk = chunk;
    d.used = 0;
    d.bytes = payload_bytes;
    d.all[d.n].payload = (const uint8_t *)(chunk + 1);
    d.all[d.n].chunk = chunk;
    d.all[d.n].used = 0;
    d.n++;
}

static uint8_t *chunk_place(size_t need, bool must)
{
    if (d.used + need + KEPT_BACK > d.bytes && d.n < CHUNKS && need + KEPT_BACK <= ovh_file_payload_bytes()) {
        struct ovh_chunk_head *next = ovh_file_chunk();
        if (next) {
            ovh_chunk_seal(d.chunk, d.used);
            chunk_begin(next, ovh_file_payload_bytes());
        }
    }
    if (d.used + need + (must ? 0 : KEPT_BACK) > d.bytes)
        return 0;
    uint8_t *place = (uint8_t *)(d.chunk + 1) + d.used;
    d.used += need;
    d.all[d.n - 1].used = d.used;
    return place;
}

static size_t bytes_of(const struct ovh_part *part)
{
    return part->text ? part->bytes + 1 : part->bytes;
}

static uint32_t check_of(const struct ovh_def_head *head, const void *body)
{
    XXH32_state_t state;
    XXH32_reset(&state, 0);
    XXH32_update(&state, head, 8);
    XXH32_update(&state, body, head->bytes - sizeof *head);
    return XXH32_digest(&state);
}

static void fill(uint8_t *place, struct ovh_def_head head, const struct ovh_part *parts, int n)
{
    uint8_t *at = place + sizeof head;
    for (int i = 0; i < n; i++) {
        memcpy(at, parts[i].start, parts[i].bytes);
        at += bytes_of(&parts[i]); /* a text's zero byte is there already */
    }
    head.check = check_of(&head, place + sizeof head);
    uint32_t bytes = head.bytes;
    head.bytes = 0;
    memcpy(place, &head, sizeof head);
    __atomic_store_n((uint32_t *)(void *)place, bytes, __ATOMIC_RELEASE);
}

bool ovh_define_place(enum ovh_def type, uint16_t arg, const struct ovh_part *parts, int n)
{
    struct ovh_def_head head = {.bytes = sizeof head, .type = (uint16_t)type, .arg = arg};
    for (int i = 0; i < n; i++)
        head.bytes += (uint32_t)bytes_of(&parts[i]);
    size_t need = (head.bytes + 7u) & ~7u;
    bool must = type == OVH_D_LOSS || type == OVH_D_NOTE || type == OVH_D_END || type == OVH_D_ANCHOR;
    uint32_t was_busy = ovh_lock_take(&d.lock);
    uint8_t *place = d.chunk ? chunk_place(need, must) : pending_place(need);
    if (place)
        fill(place, head, parts, n);
    ovh_lock_drop(&d.lock, was_busy);
    return place != 0;
}

/* Records that speak of one process only are not handed on to its children. */
static bool handed_on(uint16_t type)
{
    return type != OVH_D_ANCHOR && type != OVH_D_THREAD && type != OVH_D_LOSS && type != OVH_D_END && type != OVH_D_COVERAGE;
}

static void copy_all(const uint8_t *from, size_t bytes, bool inherited)
{
    for (size_t at = 0; at + sizeof(struct ovh_def_head) <= bytes;) {
        struct ovh_def_head head;
        memcpy(&head, from + at, sizeof head);
        if (head.bytes < sizeof head || head.bytes > bytes - at)
            return;
        size_t need = (head.bytes + 7u) & ~7u;
        uint8_t *place = inherited && !handed_on(head.type) ? 0 : chunk_place(need, false);
        if (place) {
            memcpy(place + 4, from + at + 4, head.bytes - 4);
            __atomic_store_n((uint32_t *)(void *)place, head.bytes, __ATOMIC_RELEASE);
        }
        at += need;
    }
}

void ovh_define_open(struct ovh_chunk_head *first, uint32_t payload_bytes)
{
    uint32_t was_busy = ovh_lock_take(&d.lock), inherited = d.inherited;
    d.sequence = 0;
    chunk_begin(first, payload_bytes);
    for (uint32_t i = 0; i < inherited; i++)
        copy_all(d.all[i].payload, d.all[i].used, true);
    memmove(d.all, d.all + inherited, (d.n - inherited) * sizeof d.all[0]);
    d.n -= inherited;
    d.inherited = 0;
    copy_all(d.pending, d.pending_used, false);
    if (d.pending)
        munmap(d.pending, d.pending_bytes);
    d.pending = 0;
    d.pending_used = d.pending_bytes = 0;
    ovh_lock_drop(&d.lock, was_busy);
}

void ovh_define_forked(void)
{
    d.lock.word = 0;
    if (!d.chunk)
        return;
    d.chunk = 0;
    d.inherited = d.n;
}
