/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/settings.h"

#include "ovh/exit_codes.h"
#include "record/fail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const known[] = {
#define SETTING(name, standard, meaning) "OVH_" #name,
#include "ovh/settings.def"
#undef SETTING
};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return true;
    return !strncmp(name, "OVH_SIM_", 8); /* the simulated device's own: docs/simulated-device.md */
}

void record_setting_apply(const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting)
        record_fail(OVH_EXIT_BAD, "--set %s: is not NAME=VALUE", setting);
    size_t length = (size_t)(equals - setting);
    bool whole = !strncmp(setting, "OVH_", 4);
    char *name = record_text("%s%.*s", whole ? "" : "OVH_", (int)length, setting);
    if (!is_known(name))
        record_fail(OVH_EXIT_BAD, "--set %s: there is no variable %s; libovh(7) lists those that there are", setting, name);
    setenv(name, equals + 1, 1);
    free(name);
}
