/* SPDX-License-Identifier: Apache-2.0
 *
 * libcudart: default bodies.
 */
#include "sim/cudart/runtime.h"

#define HOOK(ret, name, twin, does, ...) SIM_DEFAULT(cudart, ret, name, twin, __VA_ARGS__)
#include "ovh/hooks/cudart.def"
#undef HOOK
