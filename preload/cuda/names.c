/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/names.h"
#include "preload/writer/define.h"
#include <string.h>

struct driver_name {
    const char *base;
    int since;
    uint16_t hook, per_thread; /* per_thread: the twin, or the hook itself */
};

#define HOOK(...)
#define VOID_HOOK(...)
#define NEWER(...)
#define OLDER(...)
#define PER_THREAD_NONE(symbol) OVH_HOOK_##symbol
#define PER_THREAD_PTSZ(symbol) OVH_HOOK_##symbol##_ptsz
#define PER_THREAD_PTDS(symbol) OVH_HOOK_##symbol##_ptds
static const struct driver_name driver_names[] = {
#define DRIVER(ret, symbol, base, since, twin, does, ...) {#base, since, OVH_HOOK_##symbol, PER_THREAD_##twin(symbol)},
#include "ovh/hooks/driver.def"
};
#define DRIVER_NAMES (sizeof driver_names / sizeof *driver_names)

/* The newest CUDA whose prototypes the tables were checked against. What is asked of a newer one is wrapped only where the driver's
 * own export proves that it is the function we know. */
#define NEWEST_KNOWN 13050

/* ---- exact names -> numbers: open addressing, filled at first use by whoever comes, also by several threads at once: all put
 * the same numbers in the same order, so that a number is either found or has its place free. 0: free, else number + 1. ---- */

#define SLOTS 8192u
OVH_STATIC_ASSERT(OVH_HOOKS < SLOTS / 2);
static uint16_t name_slots[SLOTS], driver_slots[SLOTS];
static bool filled;

static uint32_t hash_of(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h ^ h >> 15;
}

static void put(uint16_t *slots, uint32_t hash, uint16_t value)
{
    for (uint32_t i = hash;; i++) {
        uint16_t *slot = &slots[i % SLOTS], there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(slot, &there, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
        if (there == value)
            return;
    }
}

static OVH_COLD void fill(void)
{
    for (unsigned i = 0; i < OVH_HOOKS; i++)
        if (ovh_hook_info[i].older != i) /* a pair is found by its NEWER line */
            put(name_slots, hash_of(ovh_hook_info[i].name), (uint16_t)(i + 1));
    for (unsigned i = 0; i < DRIVER_NAMES; i++)
        put(driver_slots, hash_of(driver_names[i].base), (uint16_t)(i + 1));
    __atomic_store_n(&filled, true, __ATOMIC_RELEASE);
}

unsigned ovh_hook_named(const char *name)
{
    if (ovh_unlikely(!__atomic_load_n(&filled, __ATOMIC_ACQUIRE)))
        fill();
    for (uint32_t i = hash_of(name); name_slots[i % SLOTS]; i++) {
        unsigned hook = name_slots[i % SLOTS] - 1u;
        if (!strcmp(ovh_hook_info[hook].name, name))
            return hook;
    }
    return OVH_HOOKS;
}

unsigned ovh_driver_hook(const char *base, int version, bool per_thread_stream, bool *known)
{
    const struct driver_name *best = 0;
    if (ovh_unlikely(!__atomic_load_n(&filled, __ATOMIC_ACQUIRE)))
        fill();
    *known = false;
    for (uint32_t i = hash_of(base); driver_slots[i % SLOTS]; i++) {
        const struct driver_name *d = &driver_names[driver_slots[i % SLOTS] - 1u];
        if (strcmp(d->base, base))
            continue;
        *known = true;
        if (d->since <= version && (!best || d->since > best->since))
            best = d;
    }
    if (!best || (version > NEWEST_KNOWN && version > best->since))
        return OVH_HOOKS;
    return per_thread_stream ? best->per_thread : best->hook;
}

static bool is_export(unsigned hook, const struct ovh_object *object, const void *function)
{
    return ovh_object_symbol(object, ovh_hook_info[hook].name) == function;
}

unsigned ovh_driver_hook_at(const char *base, const void *function, bool *known)
{
    struct ovh_object object;
    bool have_object = ovh_object_at(function, &object);
    if (ovh_unlikely(!__atomic_load_n(&filled, __ATOMIC_ACQUIRE)))
        fill();
    *known = false;
    for (uint32_t i = hash_of(base); driver_slots[i % SLOTS]; i++) {
        const struct driver_name *d = &driver_names[driver_slots[i % SLOTS] - 1u];
        if (strcmp(d->base, base))
            continue;
        *known = true;
        if (have_object && is_export(d->hook, &object, function))
            return d->hook;
        if (have_object && is_export(d->per_thread, &object, function))
            return d->per_thread;
    }
    return OVH_HOOKS;
}

unsigned ovh_hook_for(unsigned hook, struct ovh_versions versions)
{
    unsigned older = ovh_hook_info[hook].older;
    if (older == OVH_HOOKS || older == hook || versions.low >= ovh_hook_info[hook].since)
        return hook;
    return versions.high < ovh_hook_info[hook].since ? older : OVH_HOOKS;
}

void *ovh_instance_real[OVH_HOOKS][OVH_INSTANCES];

static ovh_code *claim(unsigned hook, unsigned i, void *there, void *real)
{
    void **place = &ovh_instance_real[hook][i];
    if (there != real)
        __atomic_compare_exchange_n(place, &there, real, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return __atomic_load_n(place, __ATOMIC_RELAXED) == real ? ovh_hook_info[hook].instances[i] : 0;
}

/* The library was unloaded: nobody may call through the wrapper any more, as nobody may call the function. */
static bool is_gone(unsigned hook, const void *real)
{
    struct ovh_object object;
    if (!ovh_object_at(real, &object))
        return true;
    return ovh_library_of(ovh_object_soname(&object)) != (enum ovh_library)ovh_hook_info[hook].library;
}

ovh_code *ovh_instance(unsigned hook, void *real)
{
    ovh_code *wrapper = 0;
    for (unsigned i = 0; i < OVH_INSTANCES && !wrapper; i++) {
        void *there = __atomic_load_n(&ovh_instance_real[hook][i], __ATOMIC_RELAXED);
        if (!there || there == real)
            wrapper = claim(hook, i, there, real);
    }
    for (unsigned i = 0; i < OVH_INSTANCES && !wrapper; i++) {
        void *there = __atomic_load_n(&ovh_instance_real[hook][i], __ATOMIC_RELAXED);
        if (is_gone(hook, there))
            wrapper = claim(hook, i, there, real);
    }
    return wrapper;
}

unsigned ovh_unhooked_untold;

void ovh_unhooked(void)
{
    __atomic_fetch_add(&ovh_unhooked_untold, 1, __ATOMIC_RELAXED);
}

void ovh_unhooked_tell(void)
{
    unsigned n = __atomic_exchange_n(&ovh_unhooked_untold, 0, __ATOMIC_RELAXED);
    if (n)
        ovh_lost(OVH_LOSS_UNHOOKED, n, "CUDA functions");
}
