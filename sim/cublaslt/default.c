/* SPDX-License-Identifier: Apache-2.0
 *
 * libcublasLt: default bodies.
 */
#include <stdio.h>
#include "sim/cublas/blas.h"

#define HOOK(ret, name, twin, does, ...) SIM_DEFAULT(cublaslt, ret, name, twin, __VA_ARGS__)
#include "ovh/hooks/cublaslt.def"
#undef HOOK
