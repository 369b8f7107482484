/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs whose truth is known, drawn at random: what a unit takes without probes, and what the probes cost, is found.
 */
#include "analyzer/model/estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h> /* needs those above */

#define ROUNDS 40 /* in each: control and one window, for each of three levels */
#define WINDOWS (ROUNDS * 6 + 1)
#define BASE 60000.0 /* ns */

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* What a run is like beside its probes. */
struct run {
    double cost[ESTIMATE_KINDS];
    double drift;     /* of the base from the run's beginning to its end, as a share */
    double noise;     /* of a unit */
    double outliers;  /* share of units that take twice the time */
    unsigned every;   /* one unit in so many takes three times the time */
    double second;    /* half of the units take so much more, as a share */
    double slow;      /* share of the run in which the machine is in a slow mode, 1.6 times */
    double truth;     /* mean base of all units */
};

static const double per_unit[ESTIMATE_KINDS] = {15, 20, 90, 51};

static double probes_of(const struct run *r, uint32_t level)
{
    double sum = level >= 1 ? r->cost[0] * per_unit[0] + r->cost[1] * per_unit[1] : 0;
    return sum + (level >= 2 ? r->cost[2] * per_unit[2] : 0) + (level >= 3 ? r->cost[3] * per_unit[3] : 0);
}

static double play(struct run *r, struct estimate_window *w, size_t *n)
{
    double at = 0, all = 0, whole = ROUNDS * 3 * (48 + 24);
    size_t units = 0, phase = (size_t)(uniform() * 1000);
    *n = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t turn = 0, shift = (uint32_t)(uniform() * 3); turn < 6; turn++) {
            uint32_t level = turn % 2 ? 1 + (turn / 2 + shift) % 3 : 0;
            size_t length = level ? 24 : 48;
            double sum = 0;
            for (size_t i = 0; i < length; i++, at++) {
                double base = BASE * (1 + r->drift * (at / whole - 0.5)) * (at / whole > 1 - r->slow ? 1.6 : 1);
                base *= (units + phase) % 2 && r->second > 0 ? 1 + r->second : 1;
                base *= r->every && (units + phase) % r->every == 0 ? 3 : 1;
                all += base;
                units++;
                base *= 1 + r->noise * normal();
                sum += base * (uniform() < r->outliers ? 2 : 1) + probes_of(r, level) * (at / whole > 1 - r->slow ? 1.6 : 1);
            }
            w[(*n)++] = (struct estimate_window){.level = level, .n = length, .mean = sum / (double)length};
        }
    w[(*n)++] = (struct estimate_window){.n = 48, .mean = w[0].mean * (1 + r->drift) * (r->slow > 0 ? 1.6 : 1)};
    r->truth = all / (double)units;
    return r->truth * (1 + r->outliers);
}

static const double priors[ESTIMATE_KINDS] = {20, 10, 40, 30};

static struct estimate estimated(struct run *r, double *truth)
{
    static struct estimate_window w[WINDOWS];
    struct estimate_probe probes[ESTIMATE_KINDS];
    struct estimate e;
    size_t n;
    *truth = play(r, w, &n);
    for (int k = 0; k < ESTIMATE_KINDS; k++)
        probes[k] = (struct estimate_probe){per_unit[k], priors[k]};
    estimate_make(&e, w, n, 3, probes, 20);
    assert_int_equal(e.why, ESTIMATE_FINE);
    return e;
}

static void draw_costs(struct run *r)
{
    for (int k = 0; k < ESTIMATE_KINDS; k++)
        r->cost[k] = uniform() * 200;
}

/* 1 000 runs: the corrected total within 2 % of the truth, its interval over it in nine of ten. */
static void a_thousand_runs(void **unused)
{
    size_t close = 0, covered = 0, errors = 0;
    state = 1;
    for (int i = 0; i < 1000; i++) {
        struct run r = {.noise = 0.03};
        double truth;
        draw_costs(&r);
        r.drift = i % 2 ? 0.1 * (uniform() - 0.5) : 0;
        r.outliers = i % 3 ? 0 : 0.01;
        r.second = i % 5 ? 0 : 0.5;
        r.every = i % 7 ? 0 : 20 + (unsigned)(uniform() * 60);
        struct estimate e = estimated(&r, &truth);
        close += fabs(e.corrected.value - truth) <= 0.02 * truth;
        covered += e.corrected.low <= truth && truth <= e.corrected.high;
        errors += fabs(e.error.value) < 0.02;
        assert_true(e.raw.value >= e.corrected.value);
    }
    assert_true(close >= 990);
    assert_true(covered >= 900);
    assert_true(errors >= 950);
}

static void costs_are_found_where_levels_tell_them_apart(void **unused)
{
    state = 7;
    for (int i = 0; i < 50; i++) {
        struct run r = {.noise = 0.01, .cost = {25, 12, 100 + i, 3 * i}};
        double truth;
        struct estimate e = estimated(&r, &truth);
        assert_true(fabs(e.cost[ESTIMATE_FRAME].value - r.cost[2]) < 12);
        assert_true(fabs(e.cost[ESTIMATE_NATIVE].value - r.cost[3]) < 20);
        for (int k = 0; k < ESTIMATE_KINDS; k++)
            assert_true(e.cost[k].value >= 0 && e.cost[k].low <= e.cost[k].value && e.cost[k].value <= e.cost[k].high);
    }
}

static void probes_that_cost_nothing_take_nothing_off(void **unused)
{
    struct run r = {.noise = 0.01};
    double truth;
    state = 3;
    struct estimate e = estimated(&r, &truth);
    assert_true(fabs(e.corrected.value - truth) < 0.01 * truth);
    assert_true(fabs(e.error.value) < 0.01);
}

/* The last third runs 1.6 times as slow: windows are compared within their own mode. */
static void two_modes_of_a_machine(void **unused)
{
    state = 5;
    for (int i = 0; i < 20; i++) {
        struct run r = {.noise = 0.02, .slow = 0.33};
        double truth;
        draw_costs(&r);
        struct estimate e = estimated(&r, &truth);
        assert_true(e.modes >= 1);
        assert_true(fabs(e.error.value) < 0.02);
    }
}

static void what_cannot_be_said_is_not_said(void **unused)
{
    struct estimate_probe probes[ESTIMATE_KINDS] = {{10, 20}, {0, 0}, {10, 40}, {0, 0}};
    struct estimate_window w[40];
    struct estimate e;
    for (size_t i = 0; i < 40; i++)
        w[i] = (struct estimate_window){.level = i % 2 ? 2 : 0, .n = 10, .mean = 1000};
    estimate_make(&e, w, 0, 2, probes, 20);
    assert_int_equal(e.why, ESTIMATE_ONE_LEVEL);
    estimate_make(&e, w, 11, 2, probes, 20);
    assert_int_equal(e.why, ESTIMATE_FEW);
    estimate_make(&e, w, 40, 3, probes, 20);
    assert_int_equal(e.why, ESTIMATE_FEW);
    for (size_t i = 0; i < 40; i++)
        w[i].level = 1 + i % 2;
    estimate_make(&e, w, 40, 2, probes, 20);
    assert_int_equal(e.why, ESTIMATE_NO_CONTROL);
    for (size_t i = 0; i < 40; i++)
        w[i] = (struct estimate_window){.level = i % 2 ? 2 : 0, .n = i % 2 ? 1 : 10, .mean = 1000};
    estimate_make(&e, w, 40, 2, probes, 20);
    assert_int_equal(e.why, ESTIMATE_FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_runs),
        cmocka_unit_test(costs_are_found_where_levels_tell_them_apart),
        cmocka_unit_test(probes_that_cost_nothing_take_nothing_off),
        cmocka_unit_test(two_modes_of_a_machine),
        cmocka_unit_test(what_cannot_be_said_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
