/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function an exported wrapper stands for depends on who calls: two versions of libcudart in one process are normal, and each
 * program must get its own. The caller is known by its return address; the answer is cached by the page of that address: nearest in
 * one cache line of the hook's own (a hook is called from a few pages, again and again), then in a table of all pages.
 */
#ifndef OVH_CUDA_CALLERS_H
#define OVH_CUDA_CALLERS_H

#include "ovh/hooks.h"
#include "preload/cuda/objects.h"
#include "preload/writer/thread.h"

#define OVH_CALLER_PAGES 2048u   /* direct-mapped: page number above, index of the calling object below */
#define OVH_CALLER_OBJECTS 4096u
#define OVH_CALLER_PAGE_BITS 12
#define OVH_CALLER_INDEX_BITS 16

extern OVH_HIDDEN uint64_t ovh_caller_pages[OVH_CALLER_PAGES];
extern OVH_HIDDEN void **ovh_caller_reals[OVH_CALLER_OBJECTS]; /* per calling object: OVH_HOOKS functions, NULL where not yet asked */

/* Finds the function that `caller` would have reached without libovh.so, and remembers it. Never NULL: where there is none, a
 * function that returns "not found". No lock but the loader's list lock, no allocation but mmap. */
OVH_HIDDEN OVH_COLD void *ovh_real_find(unsigned hook, const void *caller);

static inline void *ovh_real_cached(unsigned hook, const void *caller)
{
    uintptr_t page = (uintptr_t)caller >> OVH_CALLER_PAGE_BITS;
    uint64_t word = __atomic_load_n(&ovh_caller_pages[page % OVH_CALLER_PAGES], __ATOMIC_RELAXED);
    if (ovh_unlikely(word >> OVH_CALLER_INDEX_BITS != page))
        return 0;
    return __atomic_load_n(&ovh_caller_reals[word % (1u << OVH_CALLER_INDEX_BITS)][hook], __ATOMIC_RELAXED);
}

/* The hook's own cache line. A slot is filled once, and emptied only when an object was unloaded. */
#define OVH_NEAR 4u
struct ovh_near {
    uintptr_t page; /* 0: empty. Written last */
    void *real;
};
extern OVH_HIDDEN struct ovh_near ovh_near[OVH_HOOKS][OVH_NEAR];

/* NULL: not there. */
static inline void *ovh_real_near(unsigned hook, const void *caller)
{
    uintptr_t page = (uintptr_t)caller >> OVH_CALLER_PAGE_BITS;
    struct ovh_near *slot = &ovh_near[hook][page % OVH_NEAR];
    if (ovh_unlikely(__atomic_load_n(&slot->page, __ATOMIC_ACQUIRE) != page))
        return 0;
    void *real = __atomic_load_n(&slot->real, __ATOMIC_ACQUIRE);
    if (!real)
        __builtin_unreachable(); /* a page stands only where a function does: one test less */
    return ovh_likely(__atomic_load_n(&slot->page, __ATOMIC_RELAXED) == page) ? real : 0; /* emptied and filled again meanwhile */
}

/* What is not there. Never NULL. */
OVH_HIDDEN __attribute__((noinline)) void *ovh_real_far(unsigned hook, const void *caller);

static inline void *ovh_real_of(unsigned hook, const void *caller)
{
    void *real = ovh_real_near(hook, caller);
    return ovh_likely(real != 0) ? real : ovh_real_far(hook, caller);
}

/* What a look-up found. */
struct ovh_provider {
    void *function;
    struct ovh_versions versions;
};
/* Without the cache: by the caller's needs, then its own object. Takes the loader's list lock only. */
OVH_HIDDEN struct ovh_provider ovh_provider_of(unsigned hook, const void *caller);

/* Objects were unloaded: forget who called from where. only_gone: what lies in objects that are loaded still holds, since nothing was loaded
 * since; then a signal handler that calls finds its function without a look at the loader's list. */
OVH_HIDDEN void ovh_callers_forget(bool only_gone);

/* Of a pair of prototypes (OLDER, NEWER): where the exported name's dispatcher must jump for this caller. */
struct ovh_pair {
    uint16_t older, newer;
    void *older_wrapper, *newer_wrapper;
};
OVH_HIDDEN void *ovh_pair_choose(const struct ovh_pair *pair, const void *caller);

#endif
