/* SPDX-License-Identifier: Apache-2.0
 *
 * libcublasLt: layouts and descriptors (which programs may hold by value: 64 bytes and more of their own, filled by the _internal
 * functions), the heuristic with its one answer, and the launch of a product.
 */
#include <stdio.h>
#include "sim/cublas/blas.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LT_CALL(name) SIM_CALL(cublaslt, name)
#define LT_USES(USE) USE(cuLibraryLoadData) USE(cuLibraryGetKernel) USE(cuKernelGetFunction) USE(cuLaunchKernelEx)

/* The real layout is 64 bytes, the descriptor 256 or more; ours fit into both. */
struct layout {
    uint64_t type, rows, columns;
    int64_t leading;
    uint64_t batch;
};
struct descriptor {
    int compute_type, transpose_a, transpose_b, epilogue;
};
_Static_assert(sizeof(struct layout) <= 64 && sizeof(struct descriptor) <= 64, "held by value in the program's own structs");
#define LAYOUT(handle) ((struct layout *)(void *)(handle))
#define DESCRIPTOR(handle) ((struct descriptor *)(void *)(handle))
#define LAYOUT_BYTES 64
#define DESCRIPTOR_BYTES 512 /* made by us: room for whatever the program's header thinks it has */

static struct {
    LT_USES(SIM_DRIVER_MEMBER)
} gpu;
static CUfunction gemm;

static void start(void)
{
    static const char *const names[] = {LT_USES(SIM_DRIVER_NAME)};
    static const char image[] = "ovh simulated cuBLASLt";
    CUlibrary library;
    CUkernel kernel;
    sim_driver_take(names, (void **)&gpu, sizeof names / sizeof names[0]);
    if (!gpu.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0) &&
        !gpu.cuLibraryGetKernel(&kernel, library, "ovh_sim_gemm_lt") && gpu.cuKernelGetFunction(&gemm, kernel))
        gemm = NULL;
}

static cublasStatus_t make(void *out, size_t bytes)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *(void **)out = calloc(1, bytes);
    return *(void **)out ? CUBLAS_STATUS_SUCCESS : BLAS_ALLOC_FAILED;
}

#define DESTROY(name, type) \
    cublasStatus_t name(type handle) \
    { \
        LT_CALL(name); \
        free((void *)handle); \
        return CUBLAS_STATUS_SUCCESS; \
    }

cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    LT_CALL(cublasLtCreate);
    return make(lightHandle, 64);
}
DESTROY(cublasLtDestroy, cublasLtHandle_t)
DESTROY(cublasLtMatrixLayoutDestroy, cublasLtMatrixLayout_t)
DESTROY(cublasLtMatmulDescDestroy, cublasLtMatmulDesc_t)
DESTROY(cublasLtMatmulPreferenceDestroy, cublasLtMatmulPreference_t)
DESTROY(cublasLtMatrixTransformDescDestroy, cublasLtMatrixTransformDesc_t)

static void layout_fill(struct layout *layout, int type, uint64_t rows, uint64_t columns, int64_t leading)
{
    *layout = (struct layout){(uint64_t)type, rows, columns, leading, 1};
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *matLayout, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
    LT_CALL(cublasLtMatrixLayoutCreate);
    cublasStatus_t status = make(matLayout, LAYOUT_BYTES);
    if (!status)
        layout_fill(LAYOUT(*matLayout), (int)type, rows, cols, ld);
    return status;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matLayout, size_t size, cudaDataType type, uint64_t rows,
                                                 uint64_t cols, int64_t ld)
{
    LT_CALL(cublasLtMatrixLayoutInit_internal);
    if (!matLayout || size < sizeof(struct layout))
        return CUBLAS_STATUS_INVALID_VALUE;
    layout_fill(LAYOUT(matLayout), (int)type, rows, cols, ld);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr, const void *buf,
                                                size_t sizeInBytes)
{
    LT_CALL(cublasLtMatrixLayoutSetAttribute);
    struct layout *layout = LAYOUT(matLayout);
    uint64_t value = 0;
    if (!layout || !buf || sizeInBytes > sizeof value)
        return layout && buf ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&value, buf, sizeInBytes);
    switch ((int)attr) {
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
        layout->rows = value;
        break;
    case CUBLASLT_MATRIX_LAYOUT_COLS:
        layout->columns = value;
        break;
    case CUBLASLT_MATRIX_LAYOUT_LD:
        layout->leading = (int64_t)value;
        break;
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        layout->batch = (uint32_t)value;
        break;
    default:
        break;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* Hands `size` bytes of `value` on, as cublasLt's GetAttribute functions do: a size of 0 asks how many there are. */
static cublasStatus_t give(const void *value, size_t size, void *buf, size_t sizeInBytes, size_t *sizeWritten)
{
    if ((sizeInBytes && (!buf || sizeInBytes < size)) || (!sizeInBytes && !sizeWritten))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (sizeInBytes)
        memcpy(buf, value, size);
    if (sizeWritten)
        *sizeWritten = size;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr, void *buf,
                                                size_t sizeInBytes, size_t *sizeWritten)
{
    LT_CALL(cublasLtMatrixLayoutGetAttribute);
    const struct layout *layout = LAYOUT(matLayout);
    if (!layout)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch ((int)attr) { /* little-endian: the first 4 bytes are the number */
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return give(&layout->type, 4, buf, sizeInBytes, sizeWritten);
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return give(&layout->rows, 8, buf, sizeInBytes, sizeWritten);
    case CUBLASLT_MATRIX_LAYOUT_COLS: return give(&layout->columns, 8, buf, sizeInBytes, sizeWritten);
    case CUBLASLT_MATRIX_LAYOUT_LD: return give(&layout->leading, 8, buf, sizeInBytes, sizeWritten);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return give(&layout->batch, 4, buf, sizeInBytes, sizeWritten);
    default: return CUBLAS_STATUS_INVALID_VALUE;
    }
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc, cublasComputeType_t computeType, cudaDataType_t scaleType)
{
    LT_CALL(cublasLtMatmulDescCreate);
    cublasStatus_t status = make(matmulDesc, DESCRIPTOR_BYTES);
    if (!status)
        DESCRIPTOR(*matmulDesc)->compute_type = (int)computeType;
    return status;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t matmulDesc, size_t size, cublasComputeType_t computeType,
                                               cudaDataType_t scaleType)
{
    LT_CALL(cublasLtMatmulDescInit_internal);
    if (!matmulDesc || size < sizeof(struct descriptor))
        return CUBLAS_STATUS_INVALID_VALUE;
    *DESCRIPTOR(matmulDesc) = (struct descriptor){.compute_type = (int)computeType};
    return CUBLAS_STATUS_SUCCESS;
}

/* Numbers of cublasLtMatmulDescAttributes_t. */
enum { TRANSPOSE_A = 3, TRANSPOSE_B = 4, EPILOGUE = 7 };

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr, void *buf,
                                              size_t sizeInBytes, size_t *sizeWritten)
{
    LT_CALL(cublasLtMatmulDescGetAttribute);
    const struct descriptor *d = DESCRIPTOR(matmulDesc);
    if (!d)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch ((int)attr) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return give(&d->compute_type, 4, buf, sizeInBytes, sizeWritten);
    case TRANSPOSE_A: return give(&d->transpose_a, 4, buf, sizeInBytes, sizeWritten);
    case TRANSPOSE_B: return give(&d->transpose_b, 4, buf, sizeInBytes, sizeWritten);
    case EPILOGUE: return give(&d->epilogue, 4, buf, sizeInBytes, sizeWritten);
    default: return CUBLAS_STATUS_INVALID_VALUE;
    }
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr, const void *buf,
                                              size_t sizeInBytes)
{
    LT_CALL(cublasLtMatmulDescSetAttribute);
    struct descriptor *d = DESCRIPTOR(matmulDesc);
    if (!d || !buf)
        return CUBLAS_STATUS_INVALID_VALUE;
    int value = 0;
    memcpy(&value, buf, sizeInBytes < sizeof value ? sizeInBytes : sizeof value);
    if ((int)attr == TRANSPOSE_A)
        d->transpose_a = value;
    else if ((int)attr == TRANSPOSE_B)
        d->transpose_b = value;
    else if ((int)attr == EPILOGUE)
        d->epilogue = value;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    LT_CALL(cublasLtMatmulPreferenceCreate);
    return make(pref, 128);
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *transformDesc, cudaDataType scaleType)
{
    LT_CALL(cublasLtMatrixTransformDescCreate);
    return make(transformDesc, 128);
}

/* One algorithm, without workspace, always fit. The result is 96 bytes: algorithm 64, workspace 8, status 4, waves 4, reserved 16. */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
                                              cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
                                              cublasLtMatrixLayout_t Ddesc, cublasLtMatmulPreference_t preference,
                                              int requestedAlgoCount, cublasLtMatmulHeuristicResult_t *heuristicResultsArray,
                                              int *returnAlgoCount)
{
    LT_CALL(cublasLtMatmulAlgoGetHeuristic);
    const float waves = 1;
    if (!heuristicResultsArray || !returnAlgoCount || requestedAlgoCount < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(heuristicResultsArray, 0, 96);
    memcpy((char *)heuristicResultsArray + 76, &waves, sizeof waves);
    *returnAlgoCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}

static unsigned tiles(uint64_t length)
{
    return length < 1 ? 1 : (unsigned)((length + 127) / 128);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc, const void *alpha, const void *A,
                              cublasLtMatrixLayout_t Adesc, const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta, const void *C,
                              cublasLtMatrixLayout_t Cdesc, void *D, cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
                              void *workspace, size_t workspaceSizeInBytes, cudaStream_t stream)
{
    LT_CALL(cublasLtMatmul);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    const struct layout *a = LAYOUT(Adesc), *d = LAYOUT(Ddesc);
    if (!computeDesc || !a || !d)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!gemm)
        return BLAS_EXECUTION_FAILED;
    uint64_t k = DESCRIPTOR(computeDesc)->transpose_a ? a->rows : a->columns;
    CUlaunchConfig config = {tiles(d->rows), tiles(d->columns), d->batch ? (unsigned)d->batch : 1, 128, 1, 1, 0, stream, NULL, 0};
    sim_next_launch_flops(2.0 * (double)d->rows * (double)d->columns * (double)k * (double)config.gridDimZ);
    return gpu.cuLaunchKernelEx(&config, gemm, NULL, NULL) ? BLAS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
    LT_CALL(cublasLtGetVersion);
    return BLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    LT_CALL(cublasLtGetCudartVersion);
    return RUNTIME_VERSION;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    LT_CALL(cublasLtGetProperty);
    if (!value)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = (int)type == 0 ? BLAS_MAJOR : 0;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    LT_CALL(cublasLtGetStatusName);
    return status ? "CUBLAS_STATUS of the simulated device" : "CUBLAS_STATUS_SUCCESS";
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    LT_CALL(cublasLtGetStatusString);
    return status ? "CUBLAS_STATUS of the simulated device" : "CUBLAS_STATUS_SUCCESS";
}
