/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "sim/driver_pointers.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static CUresult (*get_proc_address)(const char *, void **, int, cuuint64_t, int *);

static CUresult missing(void)
{
    return SIM_NOT_FOUND;
}

/* The steps of the real runtime, one for one. */
static void open_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *found = NULL;
    int status;
    *(void **)&get_proc_address = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
    if (get_proc_address && !get_proc_address("cuGetProcAddress", &found, 12000, 0, &status) && found)
        *(void **)&get_proc_address = found;
}

int sim_driver_find(const char *name, void **out, int version, uint64_t flags, int *status)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_driver);
    return get_proc_address ? (int)get_proc_address(name, out, version, flags, status) : SIM_NOT_FOUND;
}

/* What a symbol is asked for by, and since when it is there. */
static const struct {
    const char *symbol, *base;
    int since;
} table[] = {
#define DRIVER(ret, symbol, base, since, twin, does, ...) {#symbol, #base, since},
#include "ovh/hooks/driver.def"
#undef DRIVER
};

void sim_driver_take(const char *const *symbols, void **pointers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        int status;
        while (j < sizeof table / sizeof table[0] && strcmp(table[j].symbol, symbols[i]))
            j++;
        if (j == sizeof table / sizeof table[0] || sim_driver_find(table[j].base, &pointers[i], table[j].since, 0, &status) || !pointers[i])
            pointers[i] = (void *)missing;
    }
}
