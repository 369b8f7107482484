/* SPDX-License-Identifier: Apache-2.0
 * Another tool's dlsym, as profilers and overlays preload it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

void *dlsym(void *handle, const char *name)
{
    static void *(*libc)(void *, const char *);
    if (!libc)
        libc = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", OLDEST);
    void *found = libc(handle, name);
    __asm__ volatile("" ::: "memory"); /* RTLD_NEXT is counted from here */
    return found;
}
