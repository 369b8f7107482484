/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_cache.h"

enum { CACHED = 3, SEARCH_BEFORE = 16384, SEARCH_BEHIND = 1840 };

/* Where PyInterpreterState.callable_cache was in a build of each version. Patch releases and options move it a little. The struct
 * goes on for as much behind it as is searched. */
static uint32_t place_of(uint32_t version)
{
    return version == 0x030b   ? 107360
           : version == 0x030c ? 381704
           : version == 0x030d ? 193072
           : version == 0x030e ? 223112
           : version == 0x030f ? 223280
                               : 0;
}

static const char **cache;
static const char *real[CACHED];

bool native_cache_start(const char *isinstance, const char *len, const char *append)
{
    uint32_t place = place_of(ovh_layout.version);
    if (!place)
        return ovh_layout.version < 0x030b; /* nothing is specialised there */
    const char *from = (const char *)ovh_py.main_interpreter() + place - SEARCH_BEFORE;
    const char *const *words = (const char *const *)(const void *)from;
    const char **found = 0;
    for (uint32_t i = 0; i < (SEARCH_BEFORE + SEARCH_BEHIND) / sizeof *words; i++)
        if (words[i] == isinstance && words[i + 1] == len && words[i + 2] == append) {
            if (found)
                return false;
            found = (const char **)(uintptr_t)&words[i];
        }
    if (!found)
        return false;
    real[0] = isinstance;
    real[1] = len;
    real[2] = append;
    cache = found;
    return true;
}

bool native_cache_works(void)
{
    return cache || ovh_layout.version < 0x030b;
}

void native_cache_arm(void)
{
    for (int i = 0; cache && i < CACHED; i++)
        if (cache[i] == real[i])
            cache[i] = 0;
}

void native_cache_disarm(void)
{
    for (int i = 0; cache && i < CACHED; i++)
        if (!cache[i])
            cache[i] = real[i];
}
