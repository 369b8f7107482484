/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: default bodies, and the table that cuGetProcAddress answers from.
 */
#include "sim/cuda/driver.h"
#include <string.h>

#define DRIVER(ret, symbol, base, since, twin, does, ...) SIM_DEFAULT(driver, ret, symbol, twin, __VA_ARGS__)
#include "ovh/hooks/driver.def"
#undef DRIVER

struct entry {
    const char *base;
    int since;
    void *function, *twin;
};

#define TWIN_OF_NONE(symbol) NULL
#define TWIN_OF_PTSZ(symbol) (void *)symbol##_ptsz
#define TWIN_OF_PTDS(symbol) (void *)symbol##_ptds

static const struct entry entries[] = {
#define DRIVER(ret, symbol, base, since, twin, does, ...) {#base, since, (void *)symbol, TWIN_OF_##twin(symbol)},
#include "ovh/hooks/driver.def"
#undef DRIVER
};

void *driver_find(const char *name, int version, int per_thread)
{
    const struct entry *best = NULL;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].since <= version && (!best || entries[i].since > best->since) && !strcmp(entries[i].base, name))
            best = &entries[i];
    return !best ? NULL : per_thread && best->twin ? best->twin : best->function;
}
