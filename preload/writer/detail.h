/* SPDX-License-Identifier: Apache-2.0
 *
 * OVH_DETAIL and OVH_BUDGET: which levels of detail the user asked for (DESIGN section 3: 0 launches and blocking calls, 1 every CUDA
 * call, 2 Python frames as well, 3 C functions called from Python as well), and what they may cost.
 */
#ifndef OVH_WRITER_DETAIL_H
#define OVH_WRITER_DETAIL_H

#include "preload/writer/thread.h"

#define OVH_LEVELS 4u

struct ovh_detail {
    bool automatic;  /* all levels that there are, one window after the other */
    uint32_t levels; /* bit n: level n was asked for; never 0 */
    double budget;   /* share of the run's time that detail may cost, 0.001 to 1 */
};

OVH_HIDDEN struct ovh_detail ovh_detail_read(void);

/* The highest and the lowest level of a set. */
static inline uint32_t ovh_detail_top(uint32_t levels)
{
    return 31u - (uint32_t)__builtin_clz(levels);
}
static inline uint32_t ovh_detail_bottom(uint32_t levels)
{
    return (uint32_t)__builtin_ctz(levels);
}

#endif
