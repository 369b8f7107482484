/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/cuda/dlsym.h"
#include "preload/cuda/blind.h"
#include "preload/cuda/callers.h"
#include "preload/cuda/names.h"
#include "preload/cuda/proc_address.h"
#include <dlfcn.h>
#include <string.h>

void *(*ovh_dlsym_real)(void *, const char *);
static int (*dlclose_real)(void *);

/* Versions of the C library's dlsym and dlclose: of the architecture's first glibc, and of the one that moved them into libc. */
static void *find_in_libc(const char *name)
{
    void *f = dlvsym(RTLD_NEXT, name, OVH_GLIBC_OLDEST);
    return f ? f : dlvsym(RTLD_NEXT, name, "GLIBC_2.34");
}

static void *no_dlsym(void *handle, const char *name)
{
    return 0;
}

static OVH_COLD void find_dlsym(void)
{
    void *f = find_in_libc("dlsym");
    __atomic_store_n(&ovh_dlsym_real, f ? (void *(*)(void *, const char *))f : no_dlsym, __ATOMIC_RELEASE);
}

void *ovh_dlsym_next(const char *name)
{
    if (!ovh_dlsym_real)
        find_dlsym();
    void *found = ovh_dlsym_real(RTLD_NEXT, name);
    __asm__ volatile("" ::: "memory"); /* no tail call: RTLD_NEXT is counted from this library */
    return found;
}

static const struct ovh_answer ask_libc = {0, 0};

/* The name is only there because we export it: answer as if we did not. */
static struct ovh_answer only_if_real(void *handle, unsigned hook, void *ours, const void *caller)
{
    if (ovh_dlsym_next(ovh_hook_info[hook].name))
        return (struct ovh_answer){ours, ours != 0};
    if (handle == RTLD_DEFAULT && ovh_provider_of(hook, caller).function)
        return (struct ovh_answer){ours, ours != 0};
    return (struct ovh_answer){0, 1}; /* dlerror was set by ovh_dlsym_next */
}

static struct ovh_answer wrapped(unsigned hook, void *real, const void *caller)
{
    struct ovh_answer answer = {real, 1};
    struct ovh_object holder, asking;
    if (!ovh_object_at(real, &holder))
        return answer;
    const char *soname = ovh_object_soname(&holder);
    if (ovh_library_of(soname) != (enum ovh_library)ovh_hook_info[hook].library)
        return answer; /* some other library's function of that name */
    bool asks = ovh_object_at(caller, &asking);
    if (asks && (asking.base == holder.base || ovh_library_of(ovh_object_soname(&asking)) == ovh_library_of(soname)))
        return answer; /* a library looks itself up, or libcudnn its parts */
    if (hook == OVH_HOOK_cuGetProcAddress_v2 && asks)
        ovh_blind_runtime(&asking);
    unsigned variant = ovh_hook_for(hook, ovh_versions_of(soname));
    void *wrapper = variant == OVH_HOOKS ? 0 : (void *)ovh_instance(variant, real);
    if (wrapper)
        answer.value = wrapper;
    else
        ovh_unhooked();
    return answer;
}

struct ovh_answer ovh_dlsym_filter(void *handle, const char *name, const void *caller)
{
    if (ovh_unlikely(!__atomic_load_n(&ovh_dlsym_real, __ATOMIC_ACQUIRE)))
        find_dlsym();
    if (!name || handle == RTLD_NEXT || !ovh_may_be_hooked(name))
        return ask_libc;
    unsigned hook = ovh_hook_named(name);
    if (hook == OVH_HOOKS)
        return ask_libc;
    if (handle == RTLD_DEFAULT)
        return only_if_real(handle, hook, 0, caller);
    void *real = ovh_dlsym_real(handle, name);
    if (!real)
        return ask_libc; /* it fails once more, and dlerror is the caller's */
    if (ovh_is_ours(real))
        return only_if_real(handle, hook, real, caller);
    return wrapped(hook, real, caller);
}

__attribute__((visibility("default"))) int dlclose(void *handle);

/* Exported only to learn that an object went: the page of a caller may belong to another object afterwards. Unlike dlsym, glibc's
 * dlclose does not look at its caller. */
int dlclose(void *handle)
{
    if (!dlclose_real)
        dlclose_real = (int (*)(void *))find_in_libc("dlclose");
    if (!dlclose_real)
        return 0;
    static unsigned long long unloaded;
    struct ovh_object_changes before = ovh_objects_changes();
    int result = dlclose_real(handle);
    struct ovh_object_changes now = ovh_objects_changes();
    unsigned long long known = __atomic_exchange_n(&unloaded, now.unloaded, __ATOMIC_RELAXED);
    if (known != before.unloaded || now.loaded != before.loaded) /* others loaded or unloaded meanwhile, perhaps at the same place */
        ovh_callers_forget(false);
    else if (known != now.unloaded)
        ovh_callers_forget(true);
    return result;
}
