/* SPDX-License-Identifier: Apache-2.0
 *
 * How the simulated runtime, cuBLAS and cuBLASLt reach the driver: as the real ones do, by dlopen("libcuda.so.1"), dlsym for
 * "cuGetProcAddress_v2", and that for everything else. So libovh sees the driver calls under the runtime's and cuBLAS's.
 */
#ifndef OVH_SIM_DRIVER_POINTERS_H
#define OVH_SIM_DRIVER_POINTERS_H

#include "sim/standin.h"

#define DRIVER(ret, symbol, base, since, twin, does, ...) typedef ret sim_type_##symbol(OVH_PARAMS(__VA_ARGS__));
#include "ovh/hooks/driver.def"
#undef DRIVER

/* A library lists what it uses, USES(USE): USE(cuMemAlloc_v2) USE(...), and keeps the pointers in a struct of these members. */
#define SIM_DRIVER_MEMBER(symbol) sim_type_##symbol *symbol;
#define SIM_DRIVER_NAME(symbol) #symbol,

/* Fills `pointers` for the `count` symbols of libcuda's table. What the driver does not have becomes a function that returns
 * CUDA_ERROR_NOT_FOUND. */
void sim_driver_take(const char *const *symbols, void **pointers, size_t count);
/* What cuGetProcAddress answers: for cudaGetDriverEntryPoint. */
int sim_driver_find(const char *name, void **out, int version, uint64_t flags, int *status);

#endif
