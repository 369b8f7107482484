/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function would this caller have reached without us? In this order:
 *   1. a library preloaded behind us that exports the name (another tool);
 *   2. the caller itself, where it is a library of that kind (libcudart calling its own exports);
 *   3. the library that the caller needs by DT_NEEDED, itself or through what it needs, found among the loaded objects by its soname:
 *      right with two versions in one process, and for libraries that Python loaded RTLD_LOCAL, where RTLD_NEXT finds nothing;
 *   4. the caller's own object (a runtime linked in statically, with its names exported).
 */
#include "preload/cuda/callers.h"
#include "preload/cuda/names.h"
#include <string.h>

#define NEEDS_MAX 512u /* distinct names looked at on the way from the caller to the library */

struct request {
    const char *name;
    enum ovh_library library;
    const void *caller;
    struct ovh_provider provider;
};

struct preloads {
    const char *name;
    struct ovh_object program;
    bool have_program, behind_us;
    void *found;
};

static bool needs(const struct ovh_object *o, const char *soname)
{
    const char *needed;
    for (unsigned i = 0; (needed = ovh_object_needed(o, i)); i++)
        if (!strcmp(needed, soname))
            return true;
    return false;
}

/* The loader's order is: program, preloads, what the program needs. */
static int search_preloads(const struct ovh_object *o, void *arg)
{
    struct preloads *p = arg;
    if (!p->have_program) {
        p->program = *o;
        p->have_program = true;
        return 0;
    }
    const char *soname = ovh_object_soname(o);
    if (needs(&p->program, soname))
        return 1;
    if (ovh_is_ours(o->dynamic)) {
        p->behind_us = true;
    } else if (p->behind_us && ovh_library_of(soname) == OVH_LIBRARY_OTHER) {
        p->found = ovh_object_symbol(o, p->name);
        return p->found != 0;
    }
    return 0;
}

/* Of the wanted library's files (cuDNN has several) the one that has the function, or may have it. */
static bool has_it(const char *soname, const struct request *r)
{
    struct ovh_object o;
    return ovh_library_of(soname) == r->library && (!ovh_object_named(soname, &o) || ovh_object_symbol(&o, r->name));
}

/* The soname of the wanted library that `o` needs, nearest first; NULL. */
static const char *needed_library(const struct ovh_object *o, const struct request *r)
{
    const char *seen[NEEDS_MAX], *soname;
    unsigned count = 0, next = 0;
    struct ovh_object at = *o;
    for (;;) {
        for (unsigned i = 0; (soname = ovh_object_needed(&at, i)); i++) {
            if (has_it(soname, r))
                return soname;
            unsigned k = 0;
            while (k < count && strcmp(seen[k], soname))
                k++;
            if (k == count && count < NEEDS_MAX)
                seen[count++] = soname;
        }
        do {
            if (next == count)
                return 0;
        } while (!ovh_object_named(seen[next++], &at));
    }
}

static void search(void *arg)
{
    struct request *r = arg;
    struct preloads p = {.name = r->name};
    struct ovh_object caller, library;
    ovh_objects_each(search_preloads, &p);
    r->provider = (struct ovh_provider){p.found, OVH_VERSIONS_UNKNOWN};
    bool have_caller = ovh_object_at(r->caller, &caller);
    const char *soname = !have_caller ? 0 : has_it(ovh_object_soname(&caller), r) ? ovh_object_soname(&caller) : needed_library(&caller, r);
    if (soname) {
        r->provider.versions = ovh_versions_of(soname);
        if (!p.found && ovh_object_named(soname, &library))
            r->provider.function = ovh_object_symbol(&library, r->name);
    }
    if (!r->provider.function && have_caller && !ovh_is_ours(caller.dynamic))
        r->provider.function = ovh_object_symbol(&caller, r->name);
}

struct ovh_provider ovh_provider_of(unsigned hook, const void *caller)
{
    struct request r = {.name = ovh_hook_info[hook].name, .library = (enum ovh_library)ovh_hook_info[hook].library, .caller = caller};
    ovh_objects_hold(search, &r);
    return r.provider;
}
