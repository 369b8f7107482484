/* SPDX-License-Identifier: Apache-2.0
 *
 * `ovh-record --sim --costs FILE`: what calls cost on a real run, for the simulated device.
 */
#ifndef OVH_RECORD_COSTS_H
#define OVH_RECORD_COSTS_H

/* Reads `file`, a trace (through ovh-report --costs) or the text that ovh-report --costs writes, and puts its costs in front of those in
 * OVH_SIM_COSTS, so that those that were set by hand go first. Sets OVH_SIM_TOUCH where it is not set. Ends ovh-record with one sentence
 * where the file cannot be read or is neither. */
void record_costs(const char *file);

#endif
