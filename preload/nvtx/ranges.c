/* SPDX-License-Identifier: Apache-2.0
 *
 * NVTX ranges and marks in the trace. NVTX is header-only: every object that includes it asks the library named by
 * NVTX_INJECTION64_PATH, at its first call, for InitializeInjectionNvtx2, and calls through the pointers that this function fills.
 * So our constructor names ourselves there, unless somebody else is named. After an attach it is too late.
 *
 * A range opens no trace file, as a program without CUDA calls leaves none (but the first of OVH_STEPS does). Budget: that of
 * record.h, one clock reading per push and pop. Push and pop answer what they do without a tool: the program sees no difference.
 */
#define _GNU_SOURCE
#include "preload/nvtx/abi.h"
#include "preload/nvtx/names.h"
#include "preload/writer/process.h"
#include "preload/writer/record.h"
#include "preload/writer/stop.h"
#include "preload/writer/units.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- recording ---- */

static struct ovh_thread *begin(void)
{
    if (ovh_unlikely(!ovh_self) && !ovh_process_is_open())
        return 0;
    return ovh_begin(OVH_ARM_LAUNCH); /* at every level of detail: a range may be the unit of work */
}

/* The record and the time it is of. Called with busy set, which it clears. */
static inline void put(struct ovh_thread *t, enum ovh_range what, uint32_t id, uint32_t number)
{
    uint64_t now = ovh_tick();
    uint32_t words = number ? 2 : 1, *w = ovh_put(t, 2);
    ovh_put_64(w + 1, now);
    ovh_put_done(w, OVH_R_TIME, 2, 0);
    t->last = now;
    w = ovh_put(t, words);
    w[1] = id;
    if (number)
        w[2] = number;
    ovh_put_done(w, OVH_R_RANGE, words, what);
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t);
    ovh_end(t);
}

static const struct nvtx_name *name_of(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
    if (!a || a->size < sizeof *a)
        return nvtx_name_of(domain, "", 0);
    uint32_t colour = a->color_type == NVTX_COLOR_ARGB ? a->color : 0;
    switch (a->message_type) {
    case NVTX_MESSAGE_ASCII: return nvtx_name_of(domain, a->message, colour);
    case NVTX_MESSAGE_UNICODE: return nvtx_name_of_wide(domain, a->message, colour);
    case NVTX_MESSAGE_REGISTERED: return a->message ? a->message : nvtx_name_of(domain, "", colour);
    default: return nvtx_name_of(domain, "", colour);
    }
}

/* ---- ranges as units of work (OVH_STEPS) ---- */

/* The last unit to be recorded is open: pushed by `thread` (so many ranges of its domain are open, itself among them), or
 * started. */
static struct {
    const struct ovh_thread *thread;
    uint32_t domain, depth;
    uint64_t started;
} last;

/* A name is asked for while nothing is recorded, because its range may be the one that recording begins with. */
static inline bool wanted(const struct ovh_thread *t)
{
    return t || ovh_units_state() == OVH_UNITS_WAITING;
}

/* A range of a unit's name begins. `t` as begin() answered; returns what it answers now. *is_last: recording ends with it. */
static OVH_COLD struct ovh_thread *unit_begins(struct ovh_thread *t, bool *is_last)
{
    if (!t && ovh_units_state() == OVH_UNITS_WAITING && ovh_unit_is_awaited())
        t = ovh_begin(OVH_ARM_LAUNCH); /* opens the trace */
    *is_last = t && ovh_units_state() == OVH_UNITS_RECORDING && ovh_unit_begins() == OVH_UNIT_LAST;
    return t;
}

static void push(struct ovh_thread *t, const struct nvtx_name *name)
{
    bool is_last = false;
    if (ovh_unlikely(name && name->unit))
        t = unit_begins(t, &is_last);
    if (!t)
        return;
    if (ovh_unlikely(last.thread == t) && name && name->domain == last.domain)
        last.depth++;
    if (ovh_unlikely(is_last)) {
        last.domain = name->domain;
        last.depth = 1;
        last.thread = t;
    }
    put(t, OVH_RANGE_PUSH, name ? name->id : 0, 0);
}

static void pop_of(const struct nvtx_domain *domain)
{
    struct ovh_thread *t = begin();
    if (!t)
        return;
    if (ovh_unlikely(last.thread == t) && last.domain == domain->number && --last.depth == 0) {
        last.thread = 0;
        ovh_stop_with_next_event(t);
    }
    put(t, OVH_RANGE_POP, domain->pop, 0);
}

/* What the program gets for a range that may end anywhere: its definition and a number of its own. 0: not recorded. */
static uint64_t start(struct ovh_thread *t, const struct nvtx_name *name)
{
    static uint32_t last_number;
    bool is_last = false;
    if (ovh_unlikely(name && name->unit))
        t = unit_begins(t, &is_last);
    if (!t)
        return 0;
    uint32_t id = name ? name->id : 0, number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    number += !number;
    uint64_t range = (uint64_t)id << 32 | number;
    if (ovh_unlikely(is_last))
        last.started = range;
    put(t, OVH_RANGE_START, id, number);
    return range;
}

static void mark(struct ovh_thread *t, const struct nvtx_name *name)
{
    put(t, OVH_RANGE_MARK, name ? name->id : 0, 0);
}

/* ---- what NVTX calls ---- */

static const struct nvtx_domain *domain_of(const void *handle)
{
    return handle ? handle : &nvtx_default_domain;
}

static void mark_ex(const struct nvtx_attributes *a)
{
    struct ovh_thread *t = begin();
    if (t)
        mark(t, name_of(&nvtx_default_domain, a));
}

static void mark_a(const char *text)
{
    struct ovh_thread *t = begin();
    if (t)
        mark(t, nvtx_name_of(&nvtx_default_domain, text, 0));
}

static void mark_w(const wchar_t *text)
{
    struct ovh_thread *t = begin();
    if (t)
        mark(t, nvtx_name_of_wide(&nvtx_default_domain, text, 0));
}

static uint64_t start_ex(const struct nvtx_attributes *a)
{
    struct ovh_thread *t = begin();
    return wanted(t) ? start(t, name_of(&nvtx_default_domain, a)) : 0;
}

static uint64_t start_a(const char *text)
{
    struct ovh_thread *t = begin();
    return wanted(t) ? start(t, nvtx_name_of(&nvtx_default_domain, text, 0)) : 0;
}

static uint64_t start_w(const wchar_t *text)
{
    struct ovh_thread *t = begin();
    return wanted(t) ? start(t, nvtx_name_of_wide(&nvtx_default_domain, text, 0)) : 0;
}

static void end(uint64_t range)
{
    struct ovh_thread *t = range ? begin() : 0;
    if (t && ovh_unlikely(last.started == range)) {
        last.started = 0;
        ovh_stop_with_next_event(t);
    }
    if (t)
        put(t, OVH_RANGE_END, (uint32_t)(range >> 32), (uint32_t)range);
}

static int push_ex(const struct nvtx_attributes *a)
{
    struct ovh_thread *t = begin();
    if (wanted(t))
        push(t, name_of(&nvtx_default_domain, a));
    return NVTX_NO_TRACKING;
}

static int push_a(const char *text)
{
    struct ovh_thread *t = begin();
    if (wanted(t))
        push(t, nvtx_name_of(&nvtx_default_domain, text, 0));
    return NVTX_NO_TRACKING;
}

static int push_w(const wchar_t *text)
{
    struct ovh_thread *t = begin();
    if (wanted(t))
        push(t, nvtx_name_of_wide(&nvtx_default_domain, text, 0));
    return NVTX_NO_TRACKING;
}

static int pop(void)
{
    pop_of(&nvtx_default_domain);
    return NVTX_NO_TRACKING;
}

static void domain_mark_ex(const void *domain, const struct nvtx_attributes *a)
{
    struct ovh_thread *t = begin();
    if (t)
        mark(t, name_of(domain_of(domain), a));
}

static uint64_t domain_start_ex(const void *domain, const struct nvtx_attributes *a)
{
    struct ovh_thread *t = begin();
    return wanted(t) ? start(t, name_of(domain_of(domain), a)) : 0;
}

static void domain_end(const void *domain, uint64_t range)
{
    (void)domain;
    end(range);
}

static int domain_push_ex(const void *domain, const struct nvtx_attributes *a)
{
    struct ovh_thread *t = begin();
    if (wanted(t))
        push(t, name_of(domain_of(domain), a));
    return NVTX_NO_TRACKING;
}

/* Each domain has a stack of ranges of its own. */
static int domain_pop(const void *domain)
{
    pop_of(domain_of(domain));
    return NVTX_NO_TRACKING;
}

static const void *register_a(const void *domain, const char *text)
{
    return nvtx_name_of(domain_of(domain), text, 0);
}

static const void *register_w(const void *domain, const wchar_t *text)
{
    return nvtx_name_of_wide(domain_of(domain), text, 0);
}

static const void *create_a(const char *name)
{
    return nvtx_domain_named(name);
}

static const void *create_w(const wchar_t *name)
{
    return nvtx_domain_named_wide(name);
}

/* ---- being found ---- */

struct entry {
    unsigned number;
    nvtx_function *function;
};
#define ENTRY(number, function) {number, (nvtx_function *)(function)}

static const struct entry core[] = {
    ENTRY(NVTX_MARK_EX, mark_ex), ENTRY(NVTX_MARK_A, mark_a), ENTRY(NVTX_MARK_W, mark_w), ENTRY(NVTX_START_EX, start_ex),
    ENTRY(NVTX_START_A, start_a), ENTRY(NVTX_START_W, start_w), ENTRY(NVTX_END, end), ENTRY(NVTX_PUSH_EX, push_ex),
    ENTRY(NVTX_PUSH_A, push_a), ENTRY(NVTX_PUSH_W, push_w), ENTRY(NVTX_POP, pop), {0, 0}};
static const struct entry core2[] = {
    ENTRY(NVTX_DOMAIN_MARK_EX, domain_mark_ex), ENTRY(NVTX_DOMAIN_START_EX, domain_start_ex), ENTRY(NVTX_DOMAIN_END, domain_end),
    ENTRY(NVTX_DOMAIN_PUSH_EX, domain_push_ex), ENTRY(NVTX_DOMAIN_POP, domain_pop), ENTRY(NVTX_DOMAIN_REGISTER_A, register_a),
    ENTRY(NVTX_DOMAIN_REGISTER_W, register_w), ENTRY(NVTX_DOMAIN_CREATE_A, create_a), ENTRY(NVTX_DOMAIN_CREATE_W, create_w), {0, 0}};

static void fill(const struct nvtx_callbacks *callbacks, int module, const struct entry *entries)
{
    nvtx_table *table;
    unsigned size;
    if (callbacks->module_table(module, &table, &size) != 1 || !table)
        return;
    for (; entries->function; entries++)
        if (entries->number < size && table[entries->number])
            *table[entries->number] = entries->function;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_export_table *export_table);

/* Called by NVTX, once for each object that includes it. 1: ours are in place. */
int InitializeInjectionNvtx2(nvtx_export_table *export_table)
{
    static uint32_t known;
    const struct nvtx_callbacks *callbacks = export_table ? export_table(NVTX_TABLE_CALLBACKS) : 0;
    if (!callbacks || callbacks->struct_size < sizeof *callbacks || !callbacks->module_table)
        return 0;
    if (!__atomic_exchange_n(&known, 1, __ATOMIC_RELAXED))
        pthread_atfork(0, 0, nvtx_names_forked);
    fill(callbacks, NVTX_MODULE_CORE, core);
    fill(callbacks, NVTX_MODULE_CORE2, core2);
    return 1;
}

/* Not the setenv that a program may have of its own, as bash does: at this time it is not ready for it. */
__attribute__((constructor)) static void name_ourselves(void)
{
    char *wanted = getenv("OVH_NVTX"), *path;
    Dl_info own;
    int (*set)(const char *, const char *, int);
    if (getenv("NVTX_INJECTION64_PATH") || (wanted && (!strcmp(wanted, "off") || !strcmp(wanted, "0"))))
        return;
    *(void **)&set = dlvsym(RTLD_NEXT, "setenv", OVH_GLIBC_OLDEST);
    if (!set || !dladdr((void *)name_ourselves, &own) || !own.dli_fname || !(path = realpath(own.dli_fname, 0)))
        return;
    set("NVTX_INJECTION64_PATH", path, 0);
    free(path);
}
