/* SPDX-License-Identifier: Apache-2.0
 * A program whose malloc looks names up whenever it is called from within a look-up, as allocators do at their start: says per
 * look-up how often malloc was called in it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
static _Thread_local volatile int looking; /* volatile: dlsym is declared as one that calls nothing here */
static volatile int inside, deepest;

void *malloc(size_t n)
{
    if (looking) {
        inside++;
        deepest = looking > deepest ? looking : deepest;
        if (looking++ < 3)
            dlsym(RTLD_DEFAULT, "cudaGetDevice");
        looking--;
    }
    return __libc_malloc(n);
}

static void look(void *handle, const char *what, const char *name)
{
    inside = deepest = 0;
    looking = 1;
    void *found = dlsym(handle, name);
    looking = 0;
    dlerror();
    printf("%s %s: %s, malloc called %d times, %d deep\n", what, name, found ? "found" : "not found", inside, deepest);
}

int main(int argc, char **argv)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    for (int turn = 0; turn < 2; turn++) {
        look(driver, "handle", "cuLaunchKernel");
        look(driver, "handle", "cuGetProcAddress_v2");
        look(runtime, "handle", "cudaLaunchKernel");
        look(runtime, "handle", "cudaGetDevice");
        look(RTLD_DEFAULT, "default", "strlen");
        look(RTLD_NEXT, "next", "malloc");
        look(RTLD_DEFAULT, "default", "cuInit");
        look(RTLD_DEFAULT, "default", "cuNoSuchFunction");
        look(driver, "handle", "cuNoSuchFunction");
    }
    return 0;
}
