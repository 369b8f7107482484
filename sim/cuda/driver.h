/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function of the simulated libcuda.so.1, declared from the table: a body whose prototype differs does not compile.
 */
#ifndef OVH_SIM_DRIVER_H
#define OVH_SIM_DRIVER_H

#include "sim/standin.h"

#define DRIVER(ret, symbol, base, since, twin, does, ...) SIM_DECLARE(ret, symbol, twin, __VA_ARGS__)
#include "ovh/hooks/driver.def"
#undef DRIVER

#define DRIVER_CALL(name) SIM_CALL(driver, name)
#define DEVICE_POINTER(p) ((void *)(uintptr_t)(p))

/* The one device's one context. */
extern char sim_context[];
#define SIM_CONTEXT ((CUcontext)(void *)sim_context)

/* The table's entry for what cuGetProcAddress is asked for: the newest symbol of that name no newer than `version`. NULL: none. */
void *driver_find(const char *name, int version, int per_thread);

#endif
