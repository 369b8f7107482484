/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/short_calls.h"

#include "preload/writer/settings.h"

uint8_t ovh_short_calls[OVH_HOOKS];
uint64_t ovh_short_ticks;
uint32_t ovh_timed_share = UINT32_MAX;

void ovh_short_calls_start(uint64_t tick_hz)
{
    uint64_t one_in = ovh_setting_bytes(OVH_SETTING_TIME_QUERIES);
    ovh_short_ticks = one_in > 1 ? (uint64_t)((double)tick_hz * (double)ovh_setting_bytes(OVH_SETTING_SHORT_CALL) / 1e9) : 0; /* 0: no call counts as short */
    ovh_timed_share = one_in > 1 ? (uint32_t)(UINT32_MAX / one_in) : UINT32_MAX;
}
