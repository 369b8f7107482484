/* SPDX-License-Identifier: Apache-2.0
 *
 * `ovh-record --sim`: the command runs on the simulated device (docs/simulated-device.md).
 */
#ifndef OVH_RECORD_SIMULATE_H
#define OVH_RECORD_SIMULATE_H

/* Prepares the environment for `command` (argv style): finds the libraries that import NVIDIA's (those of the programs it names, and of
 * PyTorch, Transformer Engine and the packages named in OVH_SIM_PACKAGES, asked from the command's Python without importing them),
 * makes stand-ins for what they need, puts all of it in front of LD_PRELOAD and LD_LIBRARY_PATH. Call it before
 * record_preload_first(libovh). Ends ovh-record with one sentence where it cannot. */
void record_simulate(char *const *command);

#endif
