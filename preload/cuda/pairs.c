/* SPDX-License-Identifier: Apache-2.0
 *
 * ovh_pair_NAME for each name with two prototypes: what its exported dispatcher (stubs.S) chooses from.
 */
#include "preload/cuda/callers.h"
#include "preload/cuda/names.h"

#define PAIR(name, old) \
    extern OVH_HIDDEN ovh_code ovh_0_##name, ovh_0_##old; \
    extern OVH_HIDDEN const struct ovh_pair ovh_pair_##name; \
    const struct ovh_pair ovh_pair_##name = {OVH_HOOK_##old, OVH_HOOK_##name, (void *)ovh_0_##old, (void *)ovh_0_##name};
#define PAIR_NONE(name, since) PAIR(name, name##_until_##since)
#define PAIR_PTSZ(name, since) PAIR_NONE(name, since) PAIR(name##_ptsz, name##_until_##since##_ptsz)
#define PAIR_PTDS(name, since) PAIR_NONE(name, since) PAIR(name##_ptds, name##_until_##since##_ptds)

#define HOOK(...)
#define VOID_HOOK(...)
#define OLDER(...)
#define DRIVER(...)
#define NEWER(since, ret, name, twin, ...) PAIR_##twin(name, since)
#include "ovh/hooks/all.def"
