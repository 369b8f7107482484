/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/blind.h"
#include "ovh/trace.h"
#include "preload/cuda/names.h"
#include "preload/writer/define.h"
#include "preload/writer/objects.h"
#include <stdio.h>
#include <string.h>

enum { RUNTIMES = 64, LAUNCHERS = 64, FOUND = 64, TEXT_BYTES = 640 };

/* First bytes of the objects that have a runtime inside; functions that launched unseen, and how often. 0: free. */
static uintptr_t runtimes[RUNTIMES];
static struct { uintptr_t real; uint64_t calls; } launchers[LAUNCHERS];

static struct found {
    struct ovh_def_coverage body; /* `object` is filled in when it is told */
    uintptr_t low;
    char path[1024], text[TEXT_BYTES];
} found[FOUND];
static unsigned found_count;

void ovh_blind_runtime(const struct ovh_object *asking)
{
    const char *soname = ovh_object_soname(asking);
    if (ovh_library_of(soname) != OVH_LIBRARY_OTHER || !strncmp(soname, "libcupti.", 9))
        return; /* NVIDIA's own libraries have one each, and are seen as what they are */
    for (unsigned i = 0; i < RUNTIMES; i++) {
        uintptr_t there = __atomic_load_n(&runtimes[i], __ATOMIC_RELAXED);
        if (there == asking->low || (!there && __atomic_compare_exchange_n(&runtimes[i], &there, asking->low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) ||
            there == asking->low)
            return;
    }
}

void ovh_blind_launch(const void *real)
{
    for (unsigned i = 0; i < LAUNCHERS; i++) {
        uintptr_t there = __atomic_load_n(&launchers[i].real, __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(&launchers[i].real, &there, (uintptr_t)real, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            there = (uintptr_t)real;
        if (there == (uintptr_t)real) {
            __atomic_fetch_add(&launchers[i].calls, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

static const char *name_of(const struct ovh_object *o)
{
    const char *soname = ovh_object_soname(o);
    return *soname ? soname : "the program";
}

/* The finding about this object and reason, made if need be; NULL when there is no room. */
static struct found *finding(const struct ovh_object *o, enum ovh_coverage reason)
{
    for (unsigned i = 0; i < found_count; i++)
        if (found[i].low == o->low && found[i].body.reason == reason)
            return &found[i];
    if (found_count == FOUND)
        return 0;
    struct found *f = &found[found_count++];
    *f = (struct found){.body.reason = reason, .low = o->low};
    snprintf(f->path, sizeof f->path, "%s", o->path);
    return f;
}

/* ---- functions bound past the wrappers ---- */

struct census {
    const struct ovh_object *object;
    uint64_t ours, past;
    char names[TEXT_BYTES / 2];
};

static void add_name(struct census *c, const char *name)
{
    size_t n = strlen(c->names);
    if (n + strlen(name) + 8 < sizeof c->names)
        snprintf(c->names + n, sizeof c->names - n, "%s%s", n ? ", " : "", name);
    else if (n && c->names[n - 1] != '.')
        snprintf(c->names + n, sizeof c->names - n, " ...");
}

static void count_import(const char *name, const void *bound, void *arg)
{
    struct census *c = arg;
    struct ovh_object holder;
    unsigned hook = ovh_may_be_hooked(name) ? ovh_hook_named(name) : OVH_HOOKS;
    uintptr_t at = (uintptr_t)bound;
    if (hook == OVH_HOOKS || (at >= c->object->low && at < c->object->high)) /* not bound yet, or its own */
        return;
    if (ovh_is_ours(bound)) {
        c->ours++;
    } else if (ovh_object_at(bound, &holder) && ovh_library_of(ovh_object_soname(&holder)) == (enum ovh_library)ovh_hook_info[hook].library) {
        c->past++;
        add_name(c, name);
    }
}

static int count_imports(const struct ovh_object *o, void *arg)
{
    struct census c = {.object = o};
    struct found *f;
    if (ovh_is_ours(o->dynamic))
        return 0;
    ovh_object_imports(o, count_import, &c);
    if (!c.past || !(f = finding(o, OVH_COVERAGE_BOUND)))
        return 0;
    f->body.seen = c.ours;
    f->body.unseen = c.past;
    snprintf(f->text, sizeof f->text, "%s is bound past the wrappers (RTLD_DEEPBIND?) for %s", name_of(o), c.names);
    return 0;
}

/* ---- the other two ---- */

static void look_at_runtimes(void)
{
    struct ovh_object o;
    struct found *f;
    for (unsigned i = 0; i < RUNTIMES && runtimes[i]; i++)
        if (ovh_object_at((const void *)runtimes[i], &o) && (f = finding(&o, OVH_COVERAGE_RUNTIME)))
            snprintf(f->text, sizeof f->text, "%s has a CUDA runtime of its own inside: of its runtime calls only their driver calls are seen", name_of(&o));
}

static void look_at_launchers(void)
{
    struct ovh_object o;
    struct found *f;
    for (unsigned i = 0; i < found_count; i++)
        if (found[i].body.reason == OVH_COVERAGE_DRIVER)
            found[i].body.unseen = 0;
    for (unsigned i = 0; i < LAUNCHERS && launchers[i].real; i++)
        if (ovh_object_at((const void *)launchers[i].real, &o) && (f = finding(&o, OVH_COVERAGE_DRIVER))) {
            f->body.unseen += launchers[i].calls;
            snprintf(f->text, sizeof f->text, "%s launched %llu times without a driver call that is seen: its driver functions were found past the wrappers",
                     name_of(&o), (unsigned long long)f->body.unseen);
        }
}

static void look(void *arg)
{
    (void)arg;
    ovh_objects_each(count_imports, 0);
    look_at_runtimes();
    look_at_launchers();
}

void ovh_blind_tell(void)
{
    static bool busy;
    if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
        return;
    ovh_unhooked_tell(); /* no launch may have come since */
    ovh_objects_hold(look, 0);
    for (unsigned i = 0; i < found_count; i++) {
        const struct found *f = &found[i];
        ovh_define_coverage(ovh_object_number(f->low, f->path), f->body.reason, f->body.seen, f->body.unseen, f->text);
    }
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}
