/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast traces are read: trace_open (checksums, index) and the walk over all events, on a trace made in memory whose spans
 * are nested five deep with a launch record in every fifth. Best of five rounds.
 */
#include "analyzer/trace/clock.h"
#include "analyzer/trace/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHUNKS 256u
#define ROUNDS 5

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void chunk_make(uint8_t *at, uint32_t room, uint32_t index)
{
    struct ovh_chunk_head *head = (void *)at;
    uint32_t *first = (uint32_t *)(void *)(at + sizeof *head), *w = first, *end = first + room / 4 - 32;
    *w++ = OVH_RECORD_WORD(OVH_R_SNAPSHOT, 0, OVH_SNAPSHOT_FIRST);
    while (w < end) {
        for (uint32_t id = 1; id <= 5; id++)
            *w++ = OVH_ENTER_WORD(id, 100 + id);
        *w = OVH_RECORD_WORD(OVH_R_LAUNCH, 12, 0);
        memset(w + 1, 0, 48);
        w += 13;
        for (uint32_t id = 5; id >= 1; id--)
            *w++ = OVH_LEAVE_WORD(0, 50 + id);
    }
    *head = (struct ovh_chunk_head){.magic = OVH_CHUNK_MAGIC, .kind = OVH_CHUNK_EVENTS, .index = index, .thread = 1, .sequence = index};
    head->base_tick = 1000 + (uint64_t)index * 100000000;
    head->used = (uint32_t)((uint8_t *)w - (uint8_t *)first);
    head->check = XXH32(first, head->used, 0);
    head->head_check = XXH32(head, offsetof(struct ovh_chunk_head, used), 0);
}

static uint8_t *trace_make(size_t size)
{
    uint8_t *bytes = aligned_alloc(4096, size);
    struct ovh_file_head head = {.major = 1, .head_bytes = sizeof head, .chunk_bytes = OVH_CHUNK_BYTES, .arch = 1, .clock = 1, .tick_hz = 1000000000};
    if (!bytes)
        exit(1);
    memset(bytes, 0, size);
    memcpy(head.magic, OVH_TRACE_MAGIC, 8);
    head.check = XXH32(&head, offsetof(struct ovh_file_head, check), 0);
    memcpy(bytes, &head, sizeof head);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        uint32_t skip = i ? 0 : (uint32_t)sizeof head;
        chunk_make(bytes + (size_t)i * OVH_CHUNK_BYTES + skip, OVH_CHUNK_BYTES - skip - (uint32_t)sizeof(struct ovh_chunk_head), i);
    }
    return bytes;
}

static uint64_t walk_all(const struct trace *t, uint64_t *spans)
{
    struct trace_walk w;
    struct trace_event ev;
    struct trace_clock clock;
    uint64_t ns = 0;
    if (!trace_clock_make(&clock, t))
        exit(1);
    *spans = 0;
    trace_walk_begin(&w, t, &t->threads[0]);
    while (trace_walk_next(&w, &ev)) {
        ns += (uint64_t)trace_ns(&clock, ev.tick);
        *spans += ev.kind == TRACE_LEAVE;
    }
    trace_walk_end(&w);
    trace_clock_free(&clock);
    return ns;
}

int main(int argc, char **argv)
{
    size_t size = (size_t)CHUNKS * OVH_CHUNK_BYTES;
    uint8_t *bytes = trace_make(size);
    double best_open = 1e9, best_walk = 1e9;
    uint64_t spans = 0, sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct trace t;
        struct trace_error e;
        double start = seconds(), opened, walked;
        if (!trace_open(&t, bytes, size, &e) || !trace_whole(&t))
            return 1;
        opened = seconds();
        sum += walk_all(&t, &spans);
        walked = seconds();
        trace_close(&t);
        best_open = opened - start < best_open ? opened - start : best_open;
        best_walk = walked - opened < best_walk ? walked - opened : best_walk;
    }
    double both = (double)spans / (best_open + best_walk) / 1e6;
    printf("%zu MB, %lu spans: open %.1f ns/span, walk with times %.1f ns/span, together %.0f M spans/s (sum %lx)\n", size >> 20,
           (unsigned long)spans, best_open * 1e9 / (double)spans, best_walk * 1e9 / (double)spans, both, (unsigned long)sum);
    FILE *f = argc == 3 && strcmp(argv[1], "--json") == 0 ? fopen(argv[2], "w") : NULL;
    if (f) {
        fprintf(f, "{\"bench\": \"trace_read\", \"spans\": %lu, \"open_ns_per_span\": %.2f, \"walk_ns_per_span\": %.2f, \"million_spans_per_s\": %.1f}\n",
                (unsigned long)spans, best_open * 1e9 / (double)spans, best_walk * 1e9 / (double)spans, both);
        fclose(f);
    }
    free(bytes);
    return 0;
}
