/* SPDX-License-Identifier: Apache-2.0
 *
 * Ticks to ns: exact at the anchors in use, never going back, stated rate where no anchor can be used.
 */
#include "analyzer/trace/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void open_golden(struct trace *t, const char *name, void **bytes)
{
    char path[256];
    struct trace_error e;
    snprintf(path, sizeof path, "tests/golden/%s.bin", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *bytes = malloc(1 << 20);
    size_t n = fread(*bytes, 1, 1 << 20, f);
    fclose(f);
    assert_true(trace_open(t, *bytes, n, &e));
}

static void pieces_meet_the_anchors(void **state)
{
    struct trace t;
    struct trace_clock c;
    void *bytes;
    (void)state;
    open_golden(&t, "aarch64", &bytes);
    assert_true(trace_clock_make(&c, &t));
    assert_false(c.stated);
    assert_int_equal(c.n, 3); /* head, two anchors; the one that is 100 ticks behind another is left out */
    uint64_t start = t.head.start_tick;
    assert_int_equal(trace_ns(&c, start), 0);
    assert_int_equal(trace_ns(&c, start + 10000000), 10001000);
    assert_int_equal(trace_ns(&c, start + 20000000), 20000500);
    assert_in_range(trace_ns(&c, start + 5000000), 5000499, 5000500);
    assert_in_range(trace_ns(&c, start + 40000000), 39999499, 39999500); /* the last piece goes on: 999 950 per million */
    assert_true(trace_ns(&c, start - 1000) >= -1001 && trace_ns(&c, start - 1000) <= -1000);
    int64_t last = trace_ns(&c, 0);
    for (uint64_t tick = 0; tick < start + 41000000; tick += 997) {
        assert_true(trace_ns(&c, tick) >= last);
        last = trace_ns(&c, tick);
    }
    trace_clock_free(&c);
    trace_close(&t);
    free(bytes);
}

static void without_anchors_the_stated_rate_counts(void **state)
{
    struct trace t;
    struct trace_clock c;
    void *bytes;
    (void)state;
    open_golden(&t, "plain", &bytes);
    assert_true(trace_clock_make(&c, &t));
    assert_true(c.stated);
    assert_int_equal(trace_ns(&c, t.head.start_tick + 2000000000), 1000000000);
    trace_clock_free(&c);
    trace_close(&t);
    free(bytes);
}

static void the_last_definition_of_an_id_counts(void **state)
{
    struct trace t;
    struct trace_def def;
    void *bytes;
    (void)state;
    open_golden(&t, "records", &bytes);
    assert_true(trace_find(&t, OVH_D_THREAD, 1, &def));
    assert_int_equal(def.arg, 1);
    assert_int_equal(def.thread.tick, t.head.start_tick + 90000);
    assert_int_equal(t.threads[0].end_tick, t.head.start_tick + 90000);
    assert_true(trace_find(&t, OVH_D_STEP, 5, &def));
    assert_string_equal(def.step.name, "Linear.forward");
    assert_false(trace_find(&t, OVH_D_STEP, 0, &def));
    assert_false(trace_find(&t, OVH_D_STEP, 7, &def));
    assert_false(trace_find(&t, OVH_D_STEP, OVH_ID_MAX, &def));
    assert_false(trace_find(&t, OVH_D_END, 1, &def));
    trace_close(&t);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_meet_the_anchors),
        cmocka_unit_test(without_anchors_the_stated_rate_counts),
        cmocka_unit_test(the_last_definition_of_an_id_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
