/* SPDX-License-Identifier: Apache-2.0
 *
 * Warm-up, pauses and order statistics of known series.
 */
#include "analyzer/model/steady.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h> /* needs those above */

static uint64_t wall[100000];

/* A scatter without luck: 0 .. 2 * width, evenly. */
static uint64_t scattered(size_t i, uint64_t center, uint64_t width)
{
    return center - width + (i * 7919) % (2 * width + 1);
}

static struct steady find(size_t n, int64_t warmup)
{
    struct steady s;
    assert_true(steady_find(&s, wall, n, warmup));
    assert_int_equal(s.n, n);
    assert_int_equal(s.warmup + s.pauses + s.counted, n);
    return s;
}

static void nothing_and_one(void **state)
{
    struct steady s = find(0, STEADY_FIND);
    assert_int_equal(s.counted, 0);
    wall[0] = 5;
    s = find(1, STEADY_FIND);
    assert_int_equal(s.counted, 1);
    assert_int_equal(s.median, 5);
    assert_int_equal(s.low, 5);
    assert_int_equal(s.high, 5);
}

static void a_constant_series_has_no_warmup(void **state)
{
    for (size_t i = 0; i < 5000; i++)
        wall[i] = 1000;
    struct steady s = find(5000, STEADY_FIND);
    assert_int_equal(s.warmup, 0);
    assert_int_equal(s.pauses, 0);
    assert_int_equal(s.sum, 5000 * 1000);
    assert_true(s.mean == 1000 && s.deviation == 0);
}

static void statistics_are_those_of_the_values(void **state)
{
    for (size_t i = 0; i < 1000; i++)
        wall[i] = (i * 333) % 1000 + 1; /* 1 .. 1000, each once: 333 and 1000 have no common divisor */
    struct steady s = find(1000, 0);
    assert_int_equal(s.min, 1);
    assert_int_equal(s.max, 1000);
    assert_int_equal(s.median, 500);
    assert_int_equal(s.p90, 900);
    assert_int_equal(s.p99, 990);
    assert_int_equal(s.sum, 500500);
    assert_true(s.low == 469 && s.high == 532); /* binomial(1000, 1/2), 95 %: ranks 469 and 532 */
}

static void the_interval_is_exact_for_small_samples(void **state)
{
    size_t low, high;
    steady_median_ranks(5, &low, &high); /* 5 values: all of them enclose it with 93.75 % only */
    assert_true(low == 0 && high == 4);
    steady_median_ranks(6, &low, &high); /* P(all above or all below) = 2/64 */
    assert_true(low == 0 && high == 5);
    steady_median_ranks(10, &low, &high); /* table: ranks 2 and 9 of 10, 97.9 % */
    assert_true(low == 1 && high == 8);
    steady_median_ranks(100, &low, &high); /* table: 40 and 61 of 100, 96.5 % */
    assert_true(low == 39 && high == 60);
}

static void a_slow_beginning_is_left_out(void **state)
{
    for (size_t i = 0; i < 4000; i++)
        wall[i] = scattered(i, i < 400 ? 3000 : 1000, 50);
    struct steady s = find(4000, STEADY_FIND);
    assert_true(s.warmup >= 400 && s.warmup <= 500);
    assert_true(s.median >= 990 && s.median <= 1010);
}

static void a_first_slow_call_is_left_out_alone(void **state)
{
    for (size_t i = 0; i < 2000; i++)
        wall[i] = scattered(i, 1000, 50);
    wall[0] = 700000;
    wall[1] = 5000;
    assert_int_equal(find(2000, STEADY_FIND).warmup, 2);
}

static void a_run_that_slows_down_has_no_warmup(void **state)
{
    for (size_t i = 0; i < 4000; i++)
        wall[i] = scattered(i, i < 2000 ? 1000 : 1300, 20);
    assert_int_equal(find(4000, STEADY_FIND).warmup, 0);
}

static void never_more_than_half_is_warmup(void **state)
{
    for (size_t i = 0; i < 4000; i++)
        wall[i] = 10000 - i; /* faster and faster */
    assert_true(find(4000, STEADY_FIND).warmup <= 2000);
}

static void warmup_can_be_given(void **state)
{
    for (size_t i = 0; i < 100; i++)
        wall[i] = i;
    struct steady s = find(100, 10);
    assert_true(s.warmup == 10 && s.min == 10);
    assert_int_equal(find(100, 1000).counted, 1); /* one is always left */
}

static void rare_pauses_are_apart(void **state)
{
    for (size_t i = 0; i < 10000; i++)
        wall[i] = scattered(i, 1000, 50);
    wall[500] = 60000;
    wall[7000] = 90000;
    struct steady s = find(10000, 0);
    assert_int_equal(s.pauses, 2);
    assert_int_equal(s.pause_sum, 150000);
    assert_int_equal(s.pause_max, 90000);
    assert_true(s.max <= 1050 && s.mean < 1001);
    assert_false(steady_counts(&s, 500, wall[500]));
    assert_true(steady_counts(&s, 501, wall[501]));
}

static void a_second_mode_is_no_pause(void **state)
{
    for (size_t i = 0; i < 10000; i++)
        wall[i] = i % 20 == 0 ? 60000 : 1000;
    struct steady s = find(10000, 0);
    assert_int_equal(s.pauses, 0);
    assert_int_equal(s.p99, 60000);
}

static void large_values_sort_as_well(void **state)
{
    for (size_t i = 0; i < 3000; i++)
        wall[i] = ((uint64_t)(i * 7919 % 3000) << 40) + i;
    struct steady s = find(3000, 0);
    assert_int_equal(s.max >> 40, 2999);
    assert_int_equal(s.min >> 40, 0);
    assert_int_equal(s.p90 >> 40, 2699);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_and_one),
        cmocka_unit_test(a_constant_series_has_no_warmup),
        cmocka_unit_test(statistics_are_those_of_the_values),
        cmocka_unit_test(the_interval_is_exact_for_small_samples),
        cmocka_unit_test(a_slow_beginning_is_left_out),
        cmocka_unit_test(a_first_slow_call_is_left_out_alone),
        cmocka_unit_test(a_run_that_slows_down_has_no_warmup),
        cmocka_unit_test(never_more_than_half_is_warmup),
        cmocka_unit_test(warmup_can_be_given),
        cmocka_unit_test(rare_pauses_are_apart),
        cmocka_unit_test(a_second_mode_is_no_pause),
        cmocka_unit_test(large_values_sort_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
