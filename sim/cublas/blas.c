/* SPDX-License-Identifier: Apache-2.0
 *
 * libcublas: the handle, and the launch of a matrix product.
 */
#include "sim/cublas/blas.h"
#include <pthread.h>
#include <stdlib.h>

#define BLAS_CALL(name) SIM_CALL(cublas, name)
#define BLAS_USES(USE) USE(cuLibraryLoadData) USE(cuLibraryGetKernel) USE(cuKernelGetFunction) USE(cuLaunchKernelEx)

static struct {
    BLAS_USES(SIM_DRIVER_MEMBER)
} gpu;
static CUfunction gemm;

/* cuBLAS takes the driver for itself, and loads its kernels through it. */
static void start(void)
{
    static const char *const names[] = {BLAS_USES(SIM_DRIVER_NAME)};
    static const char image[] = "ovh simulated cuBLAS";
    CUlibrary library;
    CUkernel kernel;
    sim_driver_take(names, (void **)&gpu, sizeof names / sizeof names[0]);
    if (!gpu.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0) &&
        !gpu.cuLibraryGetKernel(&kernel, library, "ovh_sim_gemm") && gpu.cuKernelGetFunction(&gemm, kernel))
        gemm = NULL;
}

/* Tiles of 128 x 128, as large kernels have them: the grid that a report shows. */
static unsigned tiles(int64_t length)
{
    return length < 1 ? 1 : (unsigned)((length + 127) / 128);
}

cublasStatus_t blas_gemm(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, int64_t batch)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    if (!gemm)
        return BLAS_EXECUTION_FAILED;
    CUlaunchConfig config = {tiles(m), tiles(n), batch < 1 ? 1 : (unsigned)batch, 128, 1, 1, 0, handle->stream, NULL, 0};
    sim_next_launch_flops(2.0 * (double)m * (double)n * (double)k * (double)batch);
    return gpu.cuLaunchKernelEx(&config, gemm, NULL, NULL) ? BLAS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

/* cuBLAS keeps a cuBLASLt handle, and calls that library through its exported names. */
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    BLAS_CALL(cublasCreate_v2);
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return BLAS_ALLOC_FAILED;
    return cublasLtCreate(&(*handle)->light);
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    BLAS_CALL(cublasDestroy_v2);
    if (!handle)
        return BLAS_NOT_INITIALIZED;
    cublasLtDestroy(handle->light);
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

#define STATE(set, get, type, member) \
    cublasStatus_t set(cublasHandle_t handle, type value) \
    { \
        BLAS_CALL(set); \
        if (!handle) \
            return BLAS_NOT_INITIALIZED; \
        handle->member = value; \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    cublasStatus_t get(cublasHandle_t handle, type *value) \
    { \
        BLAS_CALL(get); \
        if (!handle || !value) \
            return handle ? CUBLAS_STATUS_INVALID_VALUE : BLAS_NOT_INITIALIZED; \
        *value = handle->member; \
        return CUBLAS_STATUS_SUCCESS; \
    }

STATE(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
STATE(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode)
STATE(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode)
STATE(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode)

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    BLAS_CALL(cublasGetVersion_v2);
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = BLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

/* Numbers of libraryPropertyType: major, minor, patch. */
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    BLAS_CALL(cublasGetProperty);
    if (!value)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = (int)type == 0 ? BLAS_MAJOR : 0;
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    BLAS_CALL(cublasGetCudartVersion);
    return RUNTIME_VERSION;
}

static const char *status_text(int status)
{
    return status == 0 ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS of the simulated device";
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    BLAS_CALL(cublasGetStatusName);
    return status_text((int)status);
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    BLAS_CALL(cublasGetStatusString);
    return status_text((int)status);
}
