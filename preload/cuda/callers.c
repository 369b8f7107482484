/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/cuda/callers.h"
#include "preload/cuda/dlsym.h"
#include "preload/cuda/names.h"
#include "preload/cuda/writing.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

uint64_t ovh_caller_pages[OVH_CALLER_PAGES];
void **ovh_caller_reals[OVH_CALLER_OBJECTS];
struct ovh_near ovh_near[OVH_HOOKS][OVH_NEAR] __attribute__((aligned(64)));

/* The calling objects by address. Written under `writing`, which nobody waits for long: who does not get it goes without the cache. */
static struct { uintptr_t low, high; } ranges[OVH_CALLER_OBJECTS];
static unsigned range_count;
static struct ovh_writing writing;

/* Index of the object that holds the address, made if need be; -1 when there is no room. Called with `writing`. */
static int index_of(uintptr_t low, uintptr_t high)
{
    int unused = -1;
    for (unsigned i = 0; i < range_count; i++) {
        if (ranges[i].low == low && ranges[i].high == high)
            return (int)i;
        if (!ranges[i].high)
            unused = (int)i;
    }
    if (range_count < OVH_CALLER_OBJECTS) { /* a fresh one first: somebody may still read a forgotten one */
        void *table = mmap(0, OVH_HOOKS * sizeof(void *), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (table == MAP_FAILED)
            return -1;
        unused = (int)range_count;
        ovh_caller_reals[unused] = table;
        __atomic_store_n(&range_count, range_count + 1, __ATOMIC_RELEASE);
    } else if (unused >= 0) {
        memset(ovh_caller_reals[unused], 0, OVH_HOOKS * sizeof(void *));
    } else {
        return -1;
    }
    ranges[unused].low = low;
    ranges[unused].high = high;
    return unused;
}

static void remember(unsigned hook, const void *caller, void *real)
{
    struct ovh_object o;
    uintptr_t page = (uintptr_t)caller >> OVH_CALLER_PAGE_BITS;
    if (!ovh_object_at(caller, &o)) { /* code of a just-in-time compiler */
        o.low = page << OVH_CALLER_PAGE_BITS;
        o.high = (page + 1) << OVH_CALLER_PAGE_BITS;
    }
    if (!ovh_write_begin(&writing))
        return;
    int index = index_of(o.low, o.high);
    if (index >= 0) {
        __atomic_store_n(&ovh_caller_reals[index][hook], real, __ATOMIC_RELEASE);
        __atomic_store_n(&ovh_caller_pages[page % OVH_CALLER_PAGES], page << OVH_CALLER_INDEX_BITS | (unsigned)index, __ATOMIC_RELEASE);
    }
    ovh_write_end(&writing);
}

/* A page not seen before of an object that is known: no walk through the loader's list is needed. */
static void *known_object(unsigned hook, const void *caller)
{
    uintptr_t address = (uintptr_t)caller, page = address >> OVH_CALLER_PAGE_BITS;
    void *real = 0;
    if (!ovh_write_begin(&writing))
        return 0;
    for (unsigned i = 0; i < range_count && !real; i++) {
        if (address < ranges[i].low || address >= ranges[i].high)
            continue;
        real = ovh_caller_reals[i][hook];
        if (real)
            __atomic_store_n(&ovh_caller_pages[page % OVH_CALLER_PAGES], page << OVH_CALLER_INDEX_BITS | i, __ATOMIC_RELEASE);
    }
    ovh_write_end(&writing);
    return real;
}

static void fill_near(unsigned hook, const void *caller, void *real)
{
    uintptr_t page = (uintptr_t)caller >> OVH_CALLER_PAGE_BITS;
    struct ovh_near *slot = &ovh_near[hook][page % OVH_NEAR];
    if (slot->page || !ovh_write_begin(&writing))
        return;
    if (!slot->page) {
        __atomic_store_n(&slot->real, real, __ATOMIC_RELEASE);
        __atomic_store_n(&slot->page, page, __ATOMIC_RELEASE);
    }
    ovh_write_end(&writing);
}

void *ovh_real_far(unsigned hook, const void *caller)
{
    void *real = ovh_real_cached(hook, caller);
    if (!real)
        real = ovh_real_find(hook, caller);
    if (ovh_real_cached(hook, caller) == real) /* it was remembered */
        fill_near(hook, caller, real);
    return real;
}

/* What is loaded, for ovh_callers_forget. Under `writing`. */
static struct { uintptr_t low, high; } loaded[OVH_CALLER_OBJECTS];
static unsigned loaded_count;

static int add_loaded(const struct ovh_object *o, void *arg)
{
    if (loaded_count == OVH_CALLER_OBJECTS)
        return 1;
    loaded[loaded_count].low = o->low;
    loaded[loaded_count++].high = o->high;
    return 0;
}

static bool is_loaded(uintptr_t address)
{
    for (unsigned i = 0; i < loaded_count; i++)
        if (address - loaded[i].low < loaded[i].high - loaded[i].low)
            return true;
    return false;
}

static bool range_is_loaded(uintptr_t low, uintptr_t high)
{
    for (unsigned i = 0; i < loaded_count; i++)
        if (loaded[i].low == low && loaded[i].high == high)
            return true;
    return false;
}

static void forget_near(void)
{
    for (unsigned i = 0; i < OVH_HOOKS; i++)
        for (unsigned j = 0; j < OVH_NEAR; j++) {
            struct ovh_near *slot = &ovh_near[i][j];
            uintptr_t page = slot->page << OVH_CALLER_PAGE_BITS, behind = page + (1u << OVH_CALLER_PAGE_BITS) - 1; /* an object may begin within it */
            if (slot->page && !((is_loaded(page) || is_loaded(behind)) && is_loaded((uintptr_t)slot->real)))
                __atomic_store_n(&slot->page, 0, __ATOMIC_RELEASE);
        }
}

/* True: the calling object is gone. Else the functions that it called and that are gone are. */
static bool forget_range(unsigned i)
{
    if (!range_is_loaded(ranges[i].low, ranges[i].high)) {
        ranges[i].low = ranges[i].high = 0;
        memset(ovh_caller_reals[i], 0, OVH_HOOKS * sizeof(void *));
        return true;
    }
    for (unsigned hook = 0; hook < OVH_HOOKS; hook++)
        if (ovh_caller_reals[i][hook] && !is_loaded((uintptr_t)ovh_caller_reals[i][hook]))
            __atomic_store_n(&ovh_caller_reals[i][hook], 0, __ATOMIC_RELEASE);
    return false;
}

void ovh_callers_forget(bool only_gone)
{
    if (!ovh_write_begin(&writing))
        return;
    loaded_count = 0;
    if (only_gone)
        ovh_objects_each(add_loaded, 0);
    forget_near();
    for (unsigned i = 0; i < range_count; i++) {
        if (!ranges[i].high || !forget_range(i))
            continue;
        for (unsigned k = 0; k < OVH_CALLER_PAGES; k++)
            if (ovh_caller_pages[k] % (1u << OVH_CALLER_INDEX_BITS) == i)
                __atomic_store_n(&ovh_caller_pages[k], 0, __ATOMIC_RELAXED);
    }
    ovh_write_end(&writing);
}

/* What is called where no library has the function: without libovh.so the name would not have been there at all, or a weak
 * reference would have been NULL. cudaErrorSymbolNotFound and CUDA_ERROR_NOT_FOUND are 500, CUBLAS_STATUS_NOT_SUPPORTED is 15,
 * CUDNN_STATUS_NOT_SUPPORTED 3000; of the others every status but 0 is a failure. */
static int missing_cuda(void)
{
    return 500;
}

static int missing_cublas(void)
{
    return 15;
}

static int missing_cudnn(void)
{
    return 3000;
}

static int missing_other(void)
{
    return 1;
}

static void *missing(enum ovh_library library)
{
    ovh_unhooked();
    switch (library) {
    case OVH_LIBRARY_CUDART:
    case OVH_LIBRARY_DRIVER: return (void *)missing_cuda;
    case OVH_LIBRARY_CUBLAS:
    case OVH_LIBRARY_CUBLASLT: return (void *)missing_cublas;
    case OVH_LIBRARY_CUDNN: return (void *)missing_cudnn;
    default: return (void *)missing_other;
    }
}

/* The last resort: the global scope behind us, then any loaded object. These take the loader's main lock. */
static struct ovh_provider anywhere(unsigned hook);

void *ovh_real_find(unsigned hook, const void *caller)
{
    void *real = known_object(hook, caller);
    if (real)
        return real;
    struct ovh_provider p = ovh_provider_of(hook, caller);
    if (!p.function)
        p = anywhere(hook);
    if (!p.function)
        return missing((enum ovh_library)ovh_hook_info[hook].library);
    remember(hook, caller, p.function);
    return p.function;
}

struct search {
    const char *name;
    enum ovh_library library;
    void *found;
    struct ovh_versions versions;
};

static int exports_it(const struct ovh_object *o, void *arg)
{
    struct search *s = arg;
    const char *soname = ovh_object_soname(o);
    if (ovh_library_of(soname) != s->library || ovh_is_ours((const void *)o->dynamic))
        return 0;
    s->found = ovh_object_symbol(o, s->name);
    s->versions = ovh_versions_of(soname);
    return s->found != 0;
}

static int exports_it_under_another_name(const struct ovh_object *o, void *arg)
{
    struct search *s = arg;
    if (ovh_is_ours((const void *)o->dynamic))
        return 0;
    s->found = ovh_object_symbol(o, s->name);
    return s->found != 0;
}

static struct ovh_provider anywhere(unsigned hook)
{
    struct search s = {.name = ovh_hook_info[hook].name, .library = (enum ovh_library)ovh_hook_info[hook].library, .versions = OVH_VERSIONS_UNKNOWN};
    struct ovh_object o;
    s.found = ovh_dlsym_next(s.name);
    if (s.found && ovh_object_at(s.found, &o) && ovh_library_of(ovh_object_soname(&o)) == s.library)
        s.versions = ovh_versions_of(ovh_object_soname(&o));
    if (!s.found)
        ovh_objects_each(exports_it, &s);
    if (!s.found) {
        s.versions = OVH_VERSIONS_UNKNOWN;
        ovh_objects_each(exports_it_under_another_name, &s);
    }
    return (struct ovh_provider){s.found, s.versions};
}

void *ovh_pair_choose(const struct ovh_pair *pair, const void *caller)
{
    if (ovh_real_cached(pair->newer, caller))
        return pair->newer_wrapper;
    if (ovh_real_cached(pair->older, caller))
        return pair->older_wrapper;
    struct ovh_provider p = ovh_provider_of(pair->newer, caller);
    if (!p.function)
        p = anywhere(pair->newer);
    unsigned hook = p.function ? ovh_hook_for(pair->newer, p.versions) : pair->newer;
    if (hook == OVH_HOOKS) {
        ovh_unhooked();
        return p.function;
    }
    if (p.function)
        remember(hook, caller, p.function);
    return hook == pair->newer ? pair->newer_wrapper : pair->older_wrapper;
}
