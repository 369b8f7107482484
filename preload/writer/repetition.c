/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/repetition.h"

struct ovh_launches ovh_launches;

enum {
    AT_LEAST = 3,        /* repetitions that must be there to be believed */
    DIFFERENT_SHARE = 64 /* one in so many may differ: a launch that comes now and then (a logged loss, a table that grows) */
};

static uint32_t kept(void)
{
    uint32_t n = __atomic_load_n(&ovh_launches.n, __ATOMIC_RELAXED);
    return n < OVH_LAUNCHES_KEPT ? n : OVH_LAUNCHES_KEPT;
}

static uint32_t back(uint32_t i) /* the last one: 1 */
{
    return __atomic_load_n(&ovh_launches.what[(ovh_launches.n - i) % OVH_LAUNCHES_KEPT], __ATOMIC_RELAXED);
}

/* Do the last `n` launches equal those `distance` before them? */
static bool repeats(uint32_t distance, uint32_t n)
{
    uint32_t different = 0, allowed = n / DIFFERENT_SHARE;
    for (uint32_t i = 1; i <= n; i++)
        if (back(i) != back(i + distance) && ++different > allowed)
            return false;
    return true;
}

/* Three quarters of what is kept are compared, not just a few repetitions: a layer that repeats inside a step is not the step, and
 * what set up the program may stand before. */
static bool is_repetition(uint32_t distance, uint32_t n)
{
    uint32_t compared = n - n / 4;
    if (compared + distance > n)
        compared = n - distance;
    return AT_LEAST * distance <= n && compared >= (AT_LEAST - 1) * distance && repeats(distance, compared);
}

uint32_t ovh_repetition(uint32_t guess)
{
    uint32_t n = kept();
    if (guess && is_repetition(guess, n))
        return guess;
    for (uint32_t distance = 1; distance <= n / (AT_LEAST + 1); distance++)
        if (is_repetition(distance, n))
            return distance;
    return 0;
}
