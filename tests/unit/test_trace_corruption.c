/* SPDX-License-Identifier: Apache-2.0
 *
 * Every byte of every golden trace changed, and every length of it: the reader never fails, and what is different from the
 * original is never called whole (but for open chunks, whose words have no checksum).
 */
#include "analyzer/trace/clock.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"plain", "records", "killed", "threads", "windows", "ring", "newer_minor", "aarch64"};

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct file load(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s.bin", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct file file = {malloc(1 << 20), 0};
    file.size = fread(file.bytes, 1, 1 << 20, f);
    fclose(f);
    assert_true(file.size > 4096 && file.size < 1 << 20);
    return file;
}

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    return h;
}

static uint64_t mix_number(uint64_t h, uint64_t n)
{
    return mix(h, &n, sizeof n);
}

static uint64_t thread_signature(uint64_t h, const struct trace *t, const struct trace_thread *thread, struct trace_clock *clock)
{
    struct trace_walk w;
    struct trace_event ev;
    uint64_t last = 0;
    uint32_t depth = 0;
    trace_walk_begin(&w, t, thread);
    while (trace_walk_next(&w, &ev)) {
        assert_true(ev.tick >= last);
        last = ev.tick;
        if (ev.kind == TRACE_ENTER)
            assert_int_equal(ev.depth, depth++);
        if (ev.kind == TRACE_LEAVE)
            assert_int_equal(ev.depth, --depth);
        h = mix_number(h, (uint64_t)ev.kind << 56 | (uint64_t)ev.flags << 48 | (uint64_t)ev.id << 16 | ev.depth);
        h = mix_number(h, (uint64_t)trace_ns(clock, ev.tick));
        if (ev.kind == TRACE_RECORD) {
            assert_true(ev.words >= trace_record_needs(ev.type, ev.arg));
            h = mix(mix_number(h, (uint64_t)ev.type << 16 | ev.arg), ev.data, ev.words * 4u);
        }
    }
    assert_int_equal(depth, 0);
    trace_walk_end(&w);
    return mix_number(h, thread->number);
}

/* Of everything that a report can be made of. */
static uint64_t signature(const struct trace *t)
{
    struct trace_defs d;
    struct trace_def def, found;
    struct trace_clock clock;
    uint64_t h = mix(14695981039346656037u, &t->head, sizeof t->head);
    for (trace_defs_begin(&d, t); trace_defs_next(&d, &def);) {
        h = mix(mix_number(h, (uint64_t)def.type << 16 | def.arg), def.body, def.bytes);
        if (def.id)
            trace_find(t, def.type, def.id, &found);
    }
    assert_true(trace_clock_make(&clock, t));
    for (size_t i = 0; i < t->n_threads; i++)
        h = thread_signature(h, t, &t->threads[i], &clock);
    trace_clock_free(&clock);
    return h;
}

/* Reads a copy of exactly that size, so that a sanitizer sees each byte too far. True: it claims to be whole. */
static bool claims_whole(const uint8_t *bytes, size_t size, uint64_t *sum)
{
    struct trace t;
    struct trace_error e;
    char text[256];
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    bool whole = false;
    *sum = 0;
    if (trace_open(&t, copy, size, &e)) {
        whole = trace_whole(&t);
        *sum = signature(&t);
        trace_close(&t);
    } else {
        assert_true(e.status != TRACE_FINE && e.status != TRACE_NO_MEMORY);
        assert_non_null(strchr(trace_error_text(&e, text, sizeof text), ':'));
    }
    free(copy);
    return whole;
}

/* Open chunks: their payload has no checksum. */
static bool in_open_chunk(const struct file *f, size_t at)
{
    struct ovh_file_head head;
    struct ovh_chunk_head chunk;
    memcpy(&head, f->bytes, sizeof head);
    size_t start = at / head.chunk_bytes * head.chunk_bytes, skip = start ? 0 : head.head_bytes;
    memcpy(&chunk, f->bytes + start + skip, sizeof chunk);
    return chunk.magic && !chunk.used && at >= start + skip + offsetof(struct ovh_chunk_head, used);
}

static void no_changed_byte_goes_unsaid(void **state)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct file f = load(names[i]);
        uint64_t original, changed;
        assert_true(claims_whole(f.bytes, f.size, &original));
        for (size_t at = 0; at < f.size; at++)
            for (size_t m = 0; m < sizeof masks; m++) {
                f.bytes[at] ^= masks[m];
                if (claims_whole(f.bytes, f.size, &changed) && changed != original && !in_open_chunk(&f, at))
                    fail_msg("%s: byte %zu changed by 0x%x is called whole and reads differently", names[i], at, masks[m]);
                f.bytes[at] ^= masks[m];
            }
        free(f.bytes);
    }
}

static void no_length_is_called_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct file f = load(names[i]);
        uint64_t original, shorter;
        assert_true(claims_whole(f.bytes, f.size, &original));
        bool ends = strcmp(names[i], "killed") != 0;
        for (size_t size = 0; size < f.size; size++) {
            bool whole = claims_whole(f.bytes, size, &shorter);
            if (whole && (ends || size % 4096))
                fail_msg("%s: the first %zu bytes are called whole", names[i], size);
        }
        free(f.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_changed_byte_goes_unsaid),
        cmocka_unit_test(no_length_is_called_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
