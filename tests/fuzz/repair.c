/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/repair.h"

#include "ovh/trace.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Checks of the definitions in a payload. */
static void repair_definitions(uint8_t *payload, size_t n)
{
    struct ovh_def_head h;
    for (size_t at = 0; at + sizeof h <= n; at += (h.bytes + 7u) & ~7u) {
        memcpy(&h, payload + at, sizeof h);
        if (h.bytes < sizeof h || h.bytes > n - at)
            return;
        XXH32_state_t state;
        XXH32_reset(&state, 0);
        XXH32_update(&state, &h, 8);
        XXH32_update(&state, payload + at + sizeof h, h.bytes - sizeof h);
        h.check = XXH32_digest(&state);
        memcpy(payload + at, &h, sizeof h);
    }
}

void repair(uint8_t *bytes, size_t size)
{
    struct ovh_file_head head;
    if (size < sizeof head)
        return;
    memcpy(&head, bytes, sizeof head);
    memcpy(head.magic, OVH_TRACE_MAGIC, 8);
    head.major = 1;
    head.head_bytes = sizeof head;
    head.chunk_bytes = OVH_CHUNK_BYTES_MIN;
    head.tick_hz |= 1;
    head.check = XXH32(&head, offsetof(struct ovh_file_head, check), 0);
    memcpy(bytes, &head, sizeof head);
    for (size_t start = 0; start < size; start += OVH_CHUNK_BYTES_MIN) {
        size_t at = start ? start : sizeof head, rest = size - at, room = start + OVH_CHUNK_BYTES_MIN - at;
        struct ovh_chunk_head chunk;
        if (rest < sizeof chunk)
            return;
        memcpy(&chunk, bytes + at, sizeof chunk);
        uint8_t *payload = bytes + at + sizeof chunk;
        size_t there = (rest < room ? rest : room) - sizeof chunk;
        chunk.magic = OVH_CHUNK_MAGIC;
        chunk.kind = chunk.kind % 2 + 1;
        chunk.index = (uint32_t)(start / OVH_CHUNK_BYTES_MIN);
        chunk.thread = chunk.thread % 4 + 1;
        chunk.sequence %= 8;
        chunk.used = (uint32_t)(chunk.used % (there + 1)) & ~3u;
        chunk.head_check = XXH32(&chunk, offsetof(struct ovh_chunk_head, used), 0);
        if (chunk.kind == OVH_CHUNK_DEFINITIONS)
            repair_definitions(payload, chunk.used ? chunk.used : there);
        chunk.check = XXH32(payload, chunk.used, 0);
        memcpy(bytes + at, &chunk, sizeof chunk);
    }
}

void repair_and_read(const uint8_t *bytes, size_t size, void (*read)(const uint8_t *bytes, size_t size))
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return;
    memcpy(copy, bytes, size);
    read(copy, size);
    repair(copy, size);
    read(copy, size);
    free(copy);
}
