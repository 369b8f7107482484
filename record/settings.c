/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/settings.h"

#include "ovh/exit_codes.h"
#include "record/fail.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void record_setting_apply(const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting)
        record_fail(OVH_EXIT_BAD, "--set %s: is not NAME=VALUE", setting);
    size_t length = (size_t)(equals - setting);
    if (strspn(setting, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != length)
        record_fail(OVH_EXIT_BAD, "--set %s: variables are named in capitals, as OVH_OUT", setting);
    bool whole = !strncmp(setting, "OVH_", 4);
    char *name = record_text("%s%.*s", whole ? "" : "OVH_", (int)length, setting);
    setenv(name, equals + 1, 1);
    free(name);
}
