/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function of the simulated libcublas.so.12 / .13, declared from the table.
 */
#ifndef OVH_SIM_BLAS_H
#define OVH_SIM_BLAS_H

#include "sim/cudart/runtime.h"

#define HOOK(ret, name, twin, does, ...) SIM_DECLARE(ret, name, twin, __VA_ARGS__)
#include "ovh/hooks/cublas.def"
#include "ovh/hooks/cublaslt.def"
#undef HOOK

#define BLAS_VERSION (SIM_CUDA == 12 ? 120800 : 130000)
#define BLAS_MAJOR SIM_CUDA
#define BLAS_EXECUTION_FAILED 13
#define BLAS_ALLOC_FAILED 3
#define BLAS_NOT_INITIALIZED 1

struct cublasContext {
    cudaStream_t stream;
    int math_mode, pointer_mode, atomics_mode;
    cublasLtHandle_t light;
};

/* A matrix product of `batch` times m x n x k. Its kernel's time comes from the floating-point operations. */
cublasStatus_t blas_gemm(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, int64_t batch);

#endif
