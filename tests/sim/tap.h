/* SPDX-License-Identifier: Apache-2.0
 *
 * TAP for the C tests here: is(what, expected, "name") once per promise; ends(): the status for main.
 */
#ifndef OVH_TESTS_SIM_TAP_H
#define OVH_TESTS_SIM_TAP_H

#include <stdio.h>

static int tap_count, tap_failed;

static inline void is(long long got, long long expected, const char *name)
{
    tap_count++;
    tap_failed += got != expected;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%sok %d - %s\n", got == expected ? "" : "not ", tap_count, name);
    if (got != expected)
        printf("# got %lld, expected %lld\n", got, expected);
}

static inline int ends(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
