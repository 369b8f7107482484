/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call's cost does to the caches. A real library reads its code and tables while it works, and the caller finds its own lines gone
 * from the caches afterwards; a stand-in that only spins leaves them warm. So a call reads OVH_SIM_TOUCH bytes for each microsecond of its
 * cost (work.c).
 */
#include "sim/device/touch.h"
#include "sim/device/device.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Larger than the level-2 caches of today's CPUs, so that reading on and on pushes other lines out of them. */
#define AREA (4u << 20)
#define LINE 64u

static const volatile unsigned char *area; /* NULL: no memory, nothing is touched */
static uint64_t touched;
static __thread uint32_t place; /* each thread reads on where it stopped */

static void make_area(void)
{
    void *made = NULL;
    if (!posix_memalign(&made, LINE, AREA))
        area = memset(made, 1, AREA); /* written once: pages that nobody wrote are all one page */
}

void sim_touch(uint64_t bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (bytes < LINE)
        return;
    pthread_once(&once, make_area);
    uint64_t lines = area ? bytes / LINE : 0;
    for (uint64_t i = 0; i < lines; i++) {
        (void)area[place];
        place = (place + LINE) % AREA;
    }
    __atomic_fetch_add(&touched, lines * LINE, __ATOMIC_RELAXED);
}

SIM_EXPORT uint64_t ovh_sim_touched(void)
{
    return __atomic_load_n(&touched, __ATOMIC_RELAXED);
}
