/* SPDX-License-Identifier: Apache-2.0
 *
 * What the hook tables say, as data: which name belongs to which library, which wrapper answers for it. Constant, made by the
 * preprocessor; the hash over the names is filled at first use, without lock or allocation.
 */
#ifndef OVH_CUDA_NAMES_H
#define OVH_CUDA_NAMES_H

#include "ovh/hooks.h"
#include "preload/cuda/objects.h"

#define OVH_INSTANCES 3 /* wrappers of one hook that each have a real function of their own, for dlsym's and the driver's answers */

typedef void ovh_code(void); /* some function: never called through this type */

struct ovh_hook_info {
    const char *name;            /* what libraries export */
    uint16_t library;            /* enum ovh_library */
    uint16_t older;              /* of a NEWER line: number of its OLDER one; of an OLDER line: its own; else OVH_HOOKS */
    int since;                   /* of a NEWER line: CUDA version from which it holds */
    ovh_code *instances[OVH_INSTANCES];
};
extern OVH_HIDDEN const struct ovh_hook_info ovh_hook_info[OVH_HOOKS];

/* Cheap, and no for most names: cuda, cublas, cudnn ..., nccl, nvrtc, __cuda. */
static inline bool ovh_may_be_hooked(const char *name)
{
    switch (name[0]) {
    case 'c': return name[1] == 'u';
    case 'n': return name[1] == 'c' || name[1] == 'v';
    case '_': return name[1] == '_' && name[2] == 'c' && name[3] == 'u';
    default: return false;
    }
}

/* Number of the hook of exactly this exported name (of a pair: the NEWER line's), or OVH_HOOKS. */
OVH_HIDDEN unsigned ovh_hook_named(const char *name);

/* Number of the driver hook that cuGetProcAddress(base, version) means, or OVH_HOOKS. `known` says whether the tables have the base
 * name at all. A version newer than the tables know gives OVH_HOOKS: its prototype may be another one. */
OVH_HIDDEN unsigned ovh_driver_hook(const char *base, int version, bool per_thread_stream, bool *known);
/* The same for an answer whose version nobody said: the hook whose exported function is this one. */
OVH_HIDDEN unsigned ovh_driver_hook_at(const char *base, const void *function, bool *known);

/* Of the pair's two hooks the one for a library of these versions, OVH_HOOKS when that cannot be told; any other hook is itself. */
OVH_HIDDEN unsigned ovh_hook_for(unsigned hook, struct ovh_versions versions);

/* The wrapper of `hook` around `real`, the same one each time while `real` is loaded; NULL when all OVH_INSTANCES are taken by other
 * functions that are loaded. */
OVH_HIDDEN ovh_code *ovh_instance(unsigned hook, void *real);
extern OVH_HIDDEN void *ovh_instance_real[OVH_HOOKS][OVH_INSTANCES];

/* Calls or look-ups that went through without a wrapper (OVH_LOSS_UNHOOKED): counted where no lock may be taken, and told to the
 * trace by the next launch. */
OVH_HIDDEN void ovh_unhooked(void);
extern OVH_HIDDEN unsigned ovh_unhooked_untold;
OVH_HIDDEN OVH_COLD void ovh_unhooked_tell(void);

#endif
