/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects that the loader has loaded, and what they export: read from their own ELF tables through dl_iterate_phdr.
 * Why not dlopen(RTLD_NOLOAD) and dlsym: both take the loader's main lock, which another thread may hold while a constructor waits
 * for this one; and a handle would keep the host's library from being unloaded. Nothing here allocates or sets dlerror.
 */
#ifndef OVH_CUDA_OBJECTS_H
#define OVH_CUDA_OBJECTS_H

#include "preload/writer/thread.h"
#include <link.h>
#include <stddef.h>

/* The libraries whose functions are hooked. */
enum ovh_library { OVH_LIBRARY_OTHER, OVH_LIBRARY_DRIVER, OVH_LIBRARY_CUDART, OVH_LIBRARY_CUBLAS, OVH_LIBRARY_CUBLASLT, OVH_LIBRARY_CUDNN,
                   OVH_LIBRARY_NCCL, OVH_LIBRARY_CUSPARSE, OVH_LIBRARY_CUSOLVER, OVH_LIBRARY_CUFFT, OVH_LIBRARY_CURAND, OVH_LIBRARY_NVRTC };

/* Valid while the object stays loaded: inside ovh_objects_hold, or as long as the caller knows that it does. */
struct ovh_object {
    uintptr_t base;
    uintptr_t low, high;          /* from the first to behind the last loaded byte */
    const char *path;             /* as the loader names it, "" for the program */
    const ElfW(Dyn) *dynamic;     /* NULL where there is none */
    const ElfW(Phdr) *segments;
    unsigned segment_count;
};

/* CUDA versions a library may have (12000 .. 12999 for libcudart.so.12): all that a soname tells. */
struct ovh_versions { int low, high; };
#define OVH_VERSIONS_UNKNOWN ((struct ovh_versions){0, 1 << 30})

/* Runs `body` while no object can be unloaded: loader's list lock, which is recursive, so that the functions below work in it.
 * `body` must not call dlopen, dlsym and the like: they take another lock first. */
OVH_HIDDEN void ovh_objects_hold(void (*body)(void *), void *arg);

/* Calls `each` in the loader's order (program, preloads, their needs ...) until it returns non-zero. */
OVH_HIDDEN void ovh_objects_each(int (*each)(const struct ovh_object *, void *), void *arg);

OVH_HIDDEN bool ovh_object_at(const void *address, struct ovh_object *found);
OVH_HIDDEN bool ovh_object_named(const char *soname, struct ovh_object *found);
OVH_HIDDEN const char *ovh_object_soname(const struct ovh_object *);
/* The n-th DT_NEEDED entry, NULL behind the last. */
OVH_HIDDEN const char *ovh_object_needed(const struct ovh_object *, unsigned n);
/* Address of a defined global function, default version first; NULL: none. */
OVH_HIDDEN void *ovh_object_symbol(const struct ovh_object *, const char *name);

/* What the object imports and where that is bound by now: into the object itself where it is not bound yet. */
OVH_HIDDEN void ovh_object_imports(const struct ovh_object *, void (*each)(const char *name, const void *bound, void *arg), void *arg);

/* What a file name says: "libcudart.so.12" and "libcudart-d0da41ae.so.11.0" are CUDART. */
OVH_HIDDEN enum ovh_library ovh_library_of(const char *soname);
OVH_HIDDEN struct ovh_versions ovh_versions_of(const char *soname);

/* Of libovh.so itself. */
OVH_HIDDEN bool ovh_is_ours(const void *address);
/* How many objects were loaded and unloaded so far. */
struct ovh_object_changes {
    unsigned long long loaded, unloaded;
};
OVH_HIDDEN struct ovh_object_changes ovh_objects_changes(void);

#endif
