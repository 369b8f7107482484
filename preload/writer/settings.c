/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/settings.h"

#include "preload/writer/define.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1024 };

static const struct {
    const char *variable, *standard;
} table[OVH_SETTINGS] = {
#define SETTING(name, value, meaning) {"OVH_" #name, value},
#include "ovh/settings.def"
#undef SETTING
};

/* Copies: the program may change its environment at any time. Two threads that read at once write the same bytes. */
static char text[OVH_SETTINGS][TEXT_MAX];
static uint32_t have_read;

static void read_one(int i)
{
    const char *value = getenv(table[i].variable);
    size_t n = value ? strlen(value) : 0;
    if (n == 0 || n >= TEXT_MAX)
        value = table[i].standard, n = strlen(value);
    for (size_t at = 0; at <= n; at++)
        text[i][at] = value[at] && (unsigned char)value[at] < ' ' ? '?' : value[at];
}

const char *ovh_setting(enum ovh_setting which)
{
    if (!__atomic_load_n(&have_read, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < OVH_SETTINGS; i++)
            read_one(i);
        __atomic_store_n(&have_read, 1, __ATOMIC_RELEASE);
    }
    return text[which];
}

bool ovh_setting_on(enum ovh_setting which)
{
    const char *value = ovh_setting(which);
    return !strcmp(value, "1") || !strcmp(value, "on") || !strcmp(value, "yes") || !strcmp(value, "true");
}

static bool bytes_of(const char *value, uint64_t *bytes)
{
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    const char *letters = "KMGT", *unit = *end ? strchr(letters, *end) : 0;
    uint32_t shift = unit ? 10u * (uint32_t)(unit - letters + 1) : 0;
    if (end == value || value[0] == '-' || (unit ? end[1] : end[0]) || n > UINT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)n << shift;
    return true;
}

uint64_t ovh_setting_bytes(enum ovh_setting which)
{
    uint64_t bytes = 0;
    if (!bytes_of(ovh_setting(which), &bytes))
        bytes_of(table[which].standard, &bytes);
    return bytes;
}

/* "1.5", at most 10^9, and then `behind` or nothing -> billionths. No strtod: a locale may want a comma. */
static bool billionths_of(const char *value, const char *behind, uint64_t *billionths)
{
    const uint64_t MOST = 1000000000ull * 1000000000;
    uint64_t unit = 1000000000, sum = 0;
    bool digit = false, point = false;
    for (; (*value >= '0' && *value <= '9') || (*value == '.' && !point); value++) {
        if (*value == '.') {
            point = true;
            continue;
        }
        if (sum > MOST)
            return false;
        digit = true;
        unit = point ? unit / 10 : unit;
        sum = point ? sum + (uint64_t)(*value - '0') * unit : sum * 10 + (uint64_t)(*value - '0') * unit;
    }
    *billionths = sum;
    return digit && (!*value || !strcmp(value, behind));
}

static uint64_t decimal(enum ovh_setting which, const char *behind)
{
    uint64_t billionths = 0;
    if (!billionths_of(ovh_setting(which), behind, &billionths))
        billionths_of(table[which].standard, behind, &billionths);
    return billionths;
}

uint64_t ovh_setting_billionths(enum ovh_setting which)
{
    return decimal(which, "%");
}

uint64_t ovh_setting_ns(enum ovh_setting which)
{
    return decimal(which, "");
}

void ovh_settings_define(void)
{
    for (int i = 0; i < OVH_SETTINGS; i++)
        ovh_define_setting(table[i].variable, ovh_setting((enum ovh_setting)i));
}
