/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call costs the host beyond the stand-in's own instructions.
 */
#include "sim/device/device.h"
#include "sim/device/settings.h"
#include <stdio.h>

/* Two threads may do this at once for one call: they write the same values. */
void sim_call_cold(struct sim_call *call)
{
    bool tell = sim_settings()->tell && call->hollow && !call->generation;
    uint32_t generation = __atomic_load_n(&sim_cost_generation, __ATOMIC_ACQUIRE);
    int64_t ns = sim_patterns_find(&sim_call_costs, call->name, call->class_);
    call->cost = ns < 0 ? 0 : (uint64_t)ns;
    __atomic_store_n(&call->generation, generation, __ATOMIC_RELEASE);
    if (tell)
        fprintf(stderr, "ovh-sim: %s: default body\n", call->name);
}
