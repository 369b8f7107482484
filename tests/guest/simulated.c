/* SPDX-License-Identifier: Apache-2.0
 *
 * What a simulated device shows of itself: its marker and its fake clock. Each reading is 100 ns later than the last one. Also stands in,
 * under other names, for libraries whose version is told by where they lie.
 */
#include <stdint.h>

extern const char ovh_sim_device[];
const char ovh_sim_device[] = "ovh simulated device 0";
uint64_t ovh_sim_ticks(void);

uint64_t ovh_sim_ticks(void)
{
    static uint64_t now;
    return __atomic_add_fetch(&now, 100, __ATOMIC_RELAXED);
}
