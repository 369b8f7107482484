/* SPDX-License-Identifier: Apache-2.0
 *
 * The OVH_ variables (include/ovh/settings.def) as ovh-record sets them for the command.
 */
#ifndef OVH_RECORD_SETTINGS_H
#define OVH_RECORD_SETTINGS_H

/* Sets one "NAME=VALUE" in the environment, NAME with or without its OVH_. Ends ovh-record with one sentence where there is no such
 * variable. */
void record_setting_apply(const char *setting);

#endif
