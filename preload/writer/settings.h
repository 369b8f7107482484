/* SPDX-License-Identifier: Apache-2.0
 *
 * The OVH_* variables as they are in force: include/ovh/settings.def names them all. Read once, at the first question.
 */
#ifndef OVH_WRITER_SETTINGS_H
#define OVH_WRITER_SETTINGS_H

#include "preload/writer/thread.h"

enum ovh_setting {
#define SETTING(name, value, meaning) OVH_SETTING_##name,
#include "ovh/settings.def"
#undef SETTING
    OVH_SETTINGS
};

OVH_HIDDEN const char *ovh_setting(enum ovh_setting which);      /* never NULL; lives as long as the process */
OVH_HIDDEN bool ovh_setting_on(enum ovh_setting which);          /* 1, on, yes, true */
OVH_HIDDEN uint64_t ovh_setting_bytes(enum ovh_setting which);   /* with K, M, G, T; the default where it does not read as a size */
/* A number with decimals, in billionths, up to 10^9; a `%` may stand behind it. The default where it does not read as such. */
OVH_HIDDEN uint64_t ovh_setting_billionths(enum ovh_setting which);
OVH_HIDDEN uint64_t ovh_setting_ns(enum ovh_setting which);      /* of seconds, with decimals; the default where it does not read as such */
OVH_HIDDEN void ovh_settings_define(void);                       /* into the trace */

#endif
