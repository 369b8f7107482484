/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals of the shift between groups, against the tables of Mann and Whitney; what blocks promise.
 */
#include "analyzer/model/blocks.h"
#include "analyzer/model/interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h> /* needs those above */

/* Critical values of U for two-sided 5 % (any table of the test): so many, and all below, are outside. The interval leaves out as many
 * differences at each end. */
static void as_in_the_tables(void **state)
{
    static const struct {
        size_t na, nb, u;
    } table[] = {{4, 4, 0}, {5, 5, 2}, {6, 6, 5}, {8, 8, 13}, {10, 10, 23}, {5, 8, 6}, {20, 20, 127}, {7, 9, 12}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(interval_cut(table[i].na, table[i].nb), table[i].u);
        assert_int_equal(interval_cut(table[i].nb, table[i].na), table[i].u);
    }
    assert_int_equal(interval_cut(3, 3), 0);
    assert_int_equal(interval_cut(0, 5), 0);
    assert_true(interval_cut(64, 64) > 1600 && interval_cut(64, 64) < 1650); /* normal limit: 2048 - 1.96 * 209.9 = 1636 */
}

static void shift_and_ratio(void **state)
{
    const double a[] = {1, 2, 3, 4}, b[] = {12, 11, 14, 13};
    double room[16];
    struct interval d = interval_of_ranks(a, 4, b, 4, false, room);
    assert_float_equal(d.center, 10, 1e-12);
    assert_float_equal(d.low, 7, 1e-12);
    assert_float_equal(d.high, 13, 1e-12);
    d = interval_of_ranks(a, 4, b, 4, true, room);
    assert_float_equal(d.low, 11.0 / 4, 1e-12);
    assert_float_equal(d.high, 14, 1e-12);
}

static void a_bad_run_moves_little(void **state)
{
    double a[10], b[10], room[100];
    for (int i = 0; i < 10; i++) {
        a[i] = 100 + i * 0.1;
        b[i] = 105 + i * 0.1;
    }
    a[3] = 1000;
    b[7] = 3000;
    struct interval d = interval_of_ranks(a, 10, b, 10, false, room);
    assert_true(d.low > 4 && d.high < 6 && d.center > 4.5 && d.center < 5.5);
}

static void blocks_of_one_value(void **state)
{
    const double values[] = {5, 5, 5, 5, 5, 5, 5, 5};
    struct blocks_figure f = blocks_typical(values, 8);
    assert_float_equal(f.typical, 5, 0);
    assert_float_equal(f.low, 5, 0);
    assert_float_equal(f.high, 5, 0);
    assert_float_equal(blocks_typical(values, 0).typical, 0, 0);
}

/* Scatter from block to block narrows with their number; a drift and two long modes do not. */
static void drift_and_modes_stay_wide(void **state)
{
    double scatter[48], drift[48], modes[48];
    for (int i = 0; i < 48; i++) {
        scatter[i] = 100 + (i * 31) % 11 - 5;
        drift[i] = 100 + i * 10.0 / 47 - 5;
        modes[i] = i < 30 ? 95 : 105;
    }
    struct blocks_figure s = blocks_typical(scatter, 48), d = blocks_typical(drift, 48), m = blocks_typical(modes, 48);
    assert_true(s.high - s.low < 4 && s.low < 100 && s.high > 100);
    assert_true(d.high - d.low > 9);
    assert_true(m.low == 95 && m.high == 105);
}

static void what_happens_rarely_has_a_mean(void **state)
{
    double values[48] = {0};
    values[10] = values[30] = 240;
    struct blocks_figure f = blocks_typical(values, 48);
    assert_float_equal(f.typical, 10, 1e-9);
    assert_true(f.low < 0 && f.high > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_the_tables),       cmocka_unit_test(shift_and_ratio),
        cmocka_unit_test(a_bad_run_moves_little), cmocka_unit_test(blocks_of_one_value),
        cmocka_unit_test(drift_and_modes_stay_wide), cmocka_unit_test(what_happens_rarely_has_a_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
