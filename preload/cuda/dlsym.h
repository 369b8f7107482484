/* SPDX-License-Identifier: Apache-2.0
 *
 * The exported `dlsym`: an assembly stub (stubs.S) that asks ovh_dlsym_filter and, when that has nothing to say, jumps into glibc's
 * as if it had never been there: glibc finds its caller by the return address, which RTLD_NEXT and RTLD_DEFAULT depend on.
 * In the filter: no lock but the loader's own, no allocation, no start-up work, no CUDA call.
 */
#ifndef OVH_CUDA_DLSYM_H
#define OVH_CUDA_DLSYM_H

#include "preload/writer/thread.h"

/* glibc's. NULL until the first use of either. */
extern OVH_HIDDEN void *(*ovh_dlsym_real)(void *handle, const char *name);

/* Two registers: `decided` 0 means jump to glibc's. */
struct ovh_answer {
    void *value;
    uintptr_t decided;
};
OVH_HIDDEN struct ovh_answer ovh_dlsym_filter(void *handle, const char *name, const void *caller);

/* The global scope behind libovh.so. Sets dlerror where it finds nothing. */
OVH_HIDDEN void *ovh_dlsym_next(const char *name);

#endif
