/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of calls -> period -> units. Letters stand for calls: capitals launch, '|' is where the frame was left.
 */
#include "analyzer/model/period.h"
#include "analyzer/model/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* needs those above */

static uint32_t symbols[4096];
static char text[4096];

static size_t read_symbols(const char *letters)
{
    size_t n = strlen(letters);
    for (size_t i = 0; i < n; i++)
        symbols[i] =
            letters[i] == '|' ? PERIOD_GAP : (uint32_t)letters[i] | (letters[i] >= 'A' && letters[i] <= 'Z' ? PERIOD_LAUNCHES : 0);
    return n;
}

/* `letters` times n behind `before`. */
static const char *repeated(const char *before, const char *letters, int n, const char *behind)
{
    strcpy(text, before);
    for (int i = 0; i < n; i++)
        strcat(text, letters);
    return strcat(text, behind);
}

static void expect(const char *letters, const char *want)
{
    struct period p;
    char got[64] = "";
    size_t n = read_symbols(letters);
    assert_true(period_find(&p, symbols, n, 2));
    for (size_t i = 0; i < p.length; i++)
        got[i] = (char)(symbols[p.first + i] & 0xff);
    assert_string_equal(got, want);
}

static void periods(void **state)
{
    expect("", "");
    expect("abcabcabc", ""); /* nothing launches */
    expect("A", "");
    expect("AAAAAA", "A");
    expect(repeated("", "ABC", 20, ""), "ABC");
    expect(repeated("xy", "aBc", 20, "zz"), "aBc"); /* turned back to where the loop begins */
    expect(repeated("", "ddddG", 20, "d"), "ddddG");
    expect(repeated("", "AAAAAAsrAAAAAA", 5, ""), "A");              /* interruptions */
    expect(repeated("", "AAB", 20, ""), "AAB");                      /* the same call twice in a period */
    expect(repeated("", "MCbMCbMCbMCbSz", 8, ""), "MCbMCbMCbMCbSz"); /* gradients of four steps, then the optimizer */
    expect(repeated("", "A|", 20, ""), "");                          /* no period reaches over a gap */
    expect(repeated("", "AAA|", 20, ""), "A");
}

static void a_period_says_how_much_it_explains(void **state)
{
    struct period p;
    size_t n = read_symbols(repeated("XYZ", "A", 97, ""));
    assert_true(period_find(&p, symbols, n, 2));
    assert_true(p.length == 1 && p.times == 96 && p.share > 0.95 && p.share < 0.97);
}

static void a_gap_matches_nothing(void **state)
{
    struct period p = {.first = 0, .length = 2};
    size_t n = read_symbols("A|A|A");
    assert_false(period_at(&p, symbols, n, 2));
}

/* Siblings 100 ticks long, 10 apart. */
static struct siblings *siblings_of(const char *letters)
{
    static struct sibling list[256];
    static struct siblings s;
    size_t n = read_symbols(letters);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct sibling){.start = 1000 + 110 * i, .end = 1100 + 110 * i, .symbol = symbols[i]};
    s = (struct siblings){.list = list, .n = n};
    return &s;
}

static void units_are_cut_and_joined(void **state)
{
    struct siblings *s = siblings_of("sABABrABA|AB");
    const uint32_t pattern[2] = {'A' | PERIOD_LAUNCHES, 'B' | PERIOD_LAUNCHES};
    struct unit_list *u = calloc(1, sizeof *u);
    assert_non_null(u);
    assert_true(unit_cut(u, s, pattern, 2, NULL));
    assert_int_equal(u->n, 4);
    assert_true(u->list[0].first == 1 && u->list[0].joined && u->list[0].wall == 220);  /* to the next one's start */
    assert_true(u->list[1].first == 3 && !u->list[1].joined && u->list[1].wall == 210); /* to its own end */
    assert_true(u->list[2].first == 6 && !u->list[2].joined && u->list[2].wall == 210);
    assert_true(u->list[3].first == 10 && !u->list[3].joined);
    unit_list_free(u);
}

static void no_unit_where_nothing_fits(void **state)
{
    struct siblings *s = siblings_of("sBsBsB");
    const uint32_t pattern[1] = {'A' | PERIOD_LAUNCHES};
    struct unit_list *u = calloc(1, sizeof *u);
    assert_non_null(u);
    assert_true(unit_cut(u, s, pattern, 1, NULL));
    assert_int_equal(u->n, 0);
    unit_list_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods),
        cmocka_unit_test(a_period_says_how_much_it_explains),
        cmocka_unit_test(a_gap_matches_nothing),
        cmocka_unit_test(units_are_cut_and_joined),
        cmocka_unit_test(no_unit_where_nothing_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
