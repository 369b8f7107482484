/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of all hooks, made from the tables. A hook's step id in the trace is its number + 1; every trace defines all of them
 * (name, class, kind), so that a reader needs no table of its own and old traces are read for ever.
 */
#ifndef OVH_HOOKS_H
#define OVH_HOOKS_H

#include "ovh/hook.h"
#include "ovh/trace.h"

#define OVH_TWIN_NUMBER_NONE(name)
#define OVH_TWIN_NUMBER_PTSZ(name) OVH_HOOK_##name##_ptsz,
#define OVH_TWIN_NUMBER_PTDS(name) OVH_HOOK_##name##_ptds,

enum ovh_hook {
#define HOOK(ret, name, twin, does, ...) OVH_HOOK_##name, OVH_TWIN_NUMBER_##twin(name)
#define VOID_HOOK(name, twin, does, ...) HOOK(void, name, twin, does, __VA_ARGS__)
#define NEWER(since, ret, name, twin, does, ...) HOOK(ret, name, twin, does, __VA_ARGS__)
#define OLDER(until, ret, name, twin, does, ...) HOOK(ret, name##_until_##until, twin, does, __VA_ARGS__)
#define DRIVER(ret, symbol, base, since, twin, does, ...) HOOK(ret, symbol, twin, does, __VA_ARGS__)
#include "ovh/hooks/all.def"
#undef HOOK
#undef VOID_HOOK
#undef NEWER
#undef OLDER
#undef DRIVER
    OVH_HOOKS
};

#define OVH_STEP_OF_HOOK(number) ((uint32_t)(number) + 1)
#define OVH_STEP_FIRST_FREE (OVH_HOOKS + 1u)

OVH_STATIC_ASSERT(OVH_HOOKS < 8192);

#endif
