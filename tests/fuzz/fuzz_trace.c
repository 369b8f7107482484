/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a trace. Checksums would keep a fuzzer out, so the input is read twice: as it is, and with all checks made right,
 * chunk kinds and numbers among them.
 */
#include "analyzer/trace/clock.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/lines.h"
#include "analyzer/trace/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_thread(const struct trace *t, const struct trace_thread *thread, struct trace_clock *clock)
{
    struct trace_walk w;
    struct trace_event ev;
    uint64_t last = 0;
    uint32_t depth = 0;
    trace_walk_begin(&w, t, thread);
    while (trace_walk_next(&w, &ev)) {
        assert(ev.tick >= last);
        last = ev.tick;
        if (ev.kind == TRACE_ENTER)
            assert(ev.depth == depth++);
        if (ev.kind == TRACE_LEAVE)
            assert(ev.depth == --depth);
        if (ev.kind == TRACE_RECORD)
            assert(ev.words >= trace_record_needs(ev.type, ev.arg));
        trace_ns(clock, ev.tick);
    }
    assert(depth == 0 || w.no_memory);
    trace_walk_end(&w);
}

static void read_all(const uint8_t *bytes, size_t size)
{
    struct trace t;
    struct trace_error e;
    struct trace_defs d;
    struct trace_def def, found;
    struct trace_clock clock;
    if (!trace_open(&t, bytes, size, &e))
        return;
    for (trace_defs_begin(&d, &t); trace_defs_next(&d, &def);) {
        if (def.id && def.type <= OVH_D_SETTINGS)
            assert(trace_find(&t, def.type, def.id, &found) && found.id == def.id);
        if (def.type == OVH_D_LINES)
            for (uint32_t at = 0; at < 64; at += 2)
                trace_line(def.lines.format, def.lines.first_line, def.lines.table, def.lines.bytes, at);
    }
    if (trace_clock_make(&clock, &t)) {
        for (size_t i = 0; i < t.n_threads; i++)
            read_thread(&t, &t.threads[i], &clock);
        trace_clock_free(&clock);
    }
    trace_close(&t);
}

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

static void repair(uint8_t *bytes, size_t size)
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, bytes, size);
    read_all(copy, size);
    repair(copy, size);
    read_all(copy, size);
    free(copy);
    return 0;
}
