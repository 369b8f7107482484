/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/names.h"

/* ---- the table. Every wrapper exists as ovh_1_NAME .. ovh_3_NAME (wrapper.h). ---- */

#define DECLARE(name) extern OVH_HIDDEN ovh_code ovh_1_##name, ovh_2_##name, ovh_3_##name;
#define DECLARE_NONE(name) DECLARE(name)
#define DECLARE_PTSZ(name) DECLARE(name) DECLARE(name##_ptsz)
#define DECLARE_PTDS(name) DECLARE(name) DECLARE(name##_ptds)
#define HOOK(ret, name, twin, does, ...) DECLARE_##twin(name)
#define VOID_HOOK(name, twin, does, ...) DECLARE_##twin(name)
#define NEWER(since, ret, name, twin, does, ...) DECLARE_##twin(name)
#define OLDER(until, ret, name, twin, does, ...) OLDER_(name##_until_##until, twin)
#define OLDER_(name, twin) DECLARE_##twin(name)
#define DRIVER(ret, symbol, base, since, twin, does, ...) DECLARE_##twin(symbol)
#include "ovh/hooks/all.def"
#undef HOOK
#undef VOID_HOOK
#undef NEWER
#undef OLDER
#undef OLDER_
#undef DRIVER

#define INFO(id, text, other, from) [OVH_HOOK_##id] = {text, OVH_PASTE(OVH_LIBRARY_, OVH_TABLE), other, from, {ovh_1_##id, ovh_2_##id, ovh_3_##id}},
#define INFO_NONE(name) INFO(name, #name, OVH_HOOKS, 0)
#define INFO_PTSZ(name) INFO_NONE(name) INFO(name##_ptsz, #name "_ptsz", OVH_HOOKS, 0)
#define INFO_PTDS(name) INFO_NONE(name) INFO(name##_ptds, #name "_ptds", OVH_HOOKS, 0)
#define NEWER_NONE(name, since) INFO(name, #name, OVH_HOOK_##name##_until_##since, since)
#define NEWER_PTSZ(name, since) NEWER_NONE(name, since) INFO(name##_ptsz, #name "_ptsz", OVH_HOOK_##name##_until_##since##_ptsz, since)
#define NEWER_PTDS(name, since) NEWER_NONE(name, since) INFO(name##_ptds, #name "_ptds", OVH_HOOK_##name##_until_##since##_ptds, since)
#define OLDER_NONE(name, until) INFO(name##_until_##until, #name, OVH_HOOK_##name##_until_##until, 0)
#define OLDER_PTSZ(name, until) OLDER_NONE(name, until) INFO(name##_until_##until##_ptsz, #name "_ptsz", OVH_HOOK_##name##_until_##until##_ptsz, 0)
#define OLDER_PTDS(name, until) OLDER_NONE(name, until) INFO(name##_until_##until##_ptds, #name "_ptds", OVH_HOOK_##name##_until_##until##_ptds, 0)
#define HOOK(ret, name, twin, does, ...) INFO_##twin(name)
#define VOID_HOOK(name, twin, does, ...) INFO_##twin(name)
#define NEWER(since, ret, name, twin, does, ...) NEWER_##twin(name, since)
#define OLDER(until, ret, name, twin, does, ...) OLDER_##twin(name, until)
#define DRIVER(ret, symbol, base, since, twin, does, ...) INFO_##twin(symbol)

const struct ovh_hook_info ovh_hook_info[OVH_HOOKS] = {
#include "ovh/hooks/all.def"
};
#undef HOOK
#undef VOID_HOOK
#undef NEWER
#undef OLDER
#undef DRIVER
