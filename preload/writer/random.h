/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_RANDOM_H
#define OVH_WRITER_RANDOM_H

#include <stdint.h>

/* The next number of Numerical Recipes' linear generator: its high bits are the random ones. One multiplication, no state but *x. */
static inline uint32_t ovh_random(uint32_t *x)
{
    return *x = *x * 1664525u + 1013904223u;
}

#endif
