/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a trace: the reader's promises about what it hands out.
 */
#include "analyzer/trace/clock.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/lines.h"
#include "analyzer/trace/walk.h"
#include "tests/fuzz/repair.h"

#include <assert.h>
#include <stdlib.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    repair_and_read(bytes, size, read_all);
    return 0;
}
