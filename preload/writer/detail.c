/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/detail.h"

#include "preload/writer/settings.h"

/* "2", "0,2": digits with commas between them. 0: no such thing. */
static uint32_t levels_of(const char *text)
{
    uint32_t levels = 0;
    for (;; text += 2) {
        if (text[0] < '0' || text[0] >= '0' + (char)OVH_LEVELS || (text[1] && text[1] != ','))
            return 0;
        levels |= 1u << (text[0] - '0');
        if (!text[1])
            return levels;
    }
}

struct ovh_detail ovh_detail_read(void)
{
    const char *asked = ovh_setting(OVH_SETTING_DETAIL);
    struct ovh_detail detail = {.levels = levels_of(asked), .budget = (double)ovh_setting_billionths(OVH_SETTING_BUDGET) / 1e11};
    if (!detail.levels) {
        detail.automatic = true;
        detail.levels = (1u << OVH_LEVELS) - 1;
    }
    detail.budget = detail.budget < 0.001 ? 0.001 : detail.budget > 1 ? 1 : detail.budget;
    return detail;
}
