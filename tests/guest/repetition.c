/* SPDX-License-Identifier: Apache-2.0
 *
 * How many launches one repetition has, asked of sequences whose answer is known. TAP.
 */
#include "preload/writer/repetition.h"

#include <stdio.h>
#include <string.h>

static int number, failed;

static void is(uint32_t got, uint32_t expected, const char *what)
{
    number++;
    failed += got != expected;
    printf("%s %d - %s\n", got == expected ? "ok" : "not ok", number, what);
    if (got != expected)
        printf("# %u, not %u\n", got, expected);
}

static void begin(void)
{
    memset(&ovh_launches, 0, sizeof ovh_launches);
}

static void equal(uint32_t n)
{
    while (n--)
        ovh_launches_add(7);
}

/* A training step: so many layers of 8 launches, a loss, an optimizer of 40 launches. */
static void step(uint32_t layers)
{
    for (uint32_t i = 0; i < layers * 8; i++)
        ovh_launches_add(100 + i % 8);
    ovh_launches_add(999);
    for (uint32_t i = 0; i < 40; i++)
        ovh_launches_add(200 + i);
}

int main(void)
{
    uint32_t random = 1;
    printf("1..10\n");
    begin();
    is(ovh_repetition(0), 0, "no launch");
    equal(320);
    is(ovh_repetition(0), 1, "one kernel");
    begin();
    for (uint32_t i = 0; i < 20; i++)
        ovh_launches_add(1000 + i); /* set-up */
    equal(300);
    is(ovh_repetition(0), 1, "one kernel, after set-up");
    begin();
    for (int i = 0; i < 100; i++)
        ovh_launches_add(1), ovh_launches_add(2), ovh_launches_add(2);
    is(ovh_repetition(0), 3, "three launches");
    begin();
    for (int i = 0; i < 12; i++)
        step(24);
    is(ovh_repetition(0), 24 * 8 + 41, "layers in a step: the step is what repeats");
    is(ovh_repetition(24 * 8 + 41), 24 * 8 + 41, "the last answer again");
    ovh_launches_add(5); /* a logged loss */
    is(ovh_repetition(24 * 8 + 41), 24 * 8 + 41, "one launch more, now");
    begin();
    for (uint32_t i = 0; i < 4096; i++) {
        random = random * 1664525u + 1013904223u;
        ovh_launches_add(random >> 8);
    }
    is(ovh_repetition(0), 0, "nothing repeats");
    is(ovh_repetition(64), 0, "a wrong guess");
    equal(100000);
    is(ovh_repetition(0), 1, "a new loop after it");
    return failed != 0;
}
