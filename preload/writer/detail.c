/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/detail.h"

#include "preload/writer/settings.h"
#include <stdlib.h>
#include <string.h>

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

/* "1.5" or "1.5%". No strtod: a locale may want a comma. */
static double share_of(const char *text)
{
    double value = 0, unit = 1;
    bool point = false, digit = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digit = true;
        unit = point ? unit / 10 : 1;
        value = point ? value + (*text - '0') * unit : value * 10 + (*text - '0');
    }
    return digit && (!*text || !strcmp(text, "%")) ? value / 100 : -1;
}

struct ovh_detail ovh_detail_read(void)
{
    const char *asked = ovh_setting(OVH_SETTING_DETAIL);
    struct ovh_detail detail = {.levels = levels_of(asked), .budget = share_of(ovh_setting(OVH_SETTING_BUDGET))};
    if (!detail.levels) {
        detail.automatic = true;
        detail.levels = (1u << OVH_LEVELS) - 1;
    }
    if (detail.budget < 0)
        detail.budget = share_of(ovh_setting_default(OVH_SETTING_BUDGET));
    detail.budget = detail.budget < 0.001 ? 0.001 : detail.budget > 1 ? 1 : detail.budget;
    return detail;
}
