/* SPDX-License-Identifier: Apache-2.0
 * A malloc that asks dlsym for the real one inside malloc, as jemalloc-like preloads do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
static char first[65536];
static size_t used;
static void *(*real)(size_t);
static _Thread_local int inside;
void *malloc(size_t n)
{
    if (!real && !inside) {
        inside = 1;
        *(void **)&real = dlsym(RTLD_NEXT, "malloc");
        dlsym(RTLD_DEFAULT, "cudaMalloc");
        inside = 0;
    }
    if (real && !inside)
        return real(n);
    used = (used + 31) & ~(size_t)15;
    return used + n > sizeof first ? NULL : &first[(used += n) - n];
}
