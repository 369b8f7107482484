/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/layouts.h"
#include "ovh/cuda_types.h"
#include "preload/cuda/callers.h"
#include <errno.h>
#include <stdlib.h>

typedef cublasStatus_t get(const void *descriptor, int attribute, void *value, size_t bytes, size_t *written);

static bool ask(get *attribute_of, const void *descriptor, int attribute, void *value, size_t bytes)
{
    size_t written = 0;
    return descriptor && attribute_of(descriptor, attribute, value, bytes, &written) == CUBLAS_STATUS_SUCCESS && written == bytes;
}
#define ASK(function, descriptor, attribute, value) ask(function, descriptor, attribute, &(value), sizeof(value))

static bool set(const char *variable, const char *none)
{
    const char *value = getenv(variable);
    return value && value[0] && (value[0] != none[0] || value[1]);
}

/* Only what the environment asks for is known: a program that turns the log on itself finds our questions in it. */
static bool logs_its_calls(void)
{
    static int8_t answer; /* 0: not looked yet */
    int8_t known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (ovh_unlikely(!known)) {
        known = set("CUBLASLT_LOG_LEVEL", "0") || set("CUBLASLT_LOG_MASK", "0") ? 1 : -1;
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known > 0;
}

/* C is m x n. A is m x k or, transposed, k x m: k is the other one of its two sizes, and where both are m so is k. */
static bool ask_all(const struct ovh_matmul *matmul, get *layout, get *operation, struct ovh_matmul_sizes *s)
{
    uint64_t rows, columns;
    if (!ASK(layout, matmul->a, CUBLASLT_MATRIX_LAYOUT_ROWS, rows) || !ASK(layout, matmul->a, CUBLASLT_MATRIX_LAYOUT_COLS, columns) ||
        !ASK(layout, matmul->c, CUBLASLT_MATRIX_LAYOUT_ROWS, s->m) || !ASK(layout, matmul->c, CUBLASLT_MATRIX_LAYOUT_COLS, s->n) ||
        !ASK(layout, matmul->c, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, s->batch))
        return false;
    s->k = rows == s->m ? columns : rows;
    return ASK(layout, matmul->a, CUBLASLT_MATRIX_LAYOUT_TYPE, s->types[0]) && ASK(layout, matmul->b, CUBLASLT_MATRIX_LAYOUT_TYPE, s->types[1]) &&
           ASK(layout, matmul->c, CUBLASLT_MATRIX_LAYOUT_TYPE, s->types[2]) &&
           ASK(operation, matmul->operation, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, s->compute_type);
}

bool ovh_matmul_ask(const struct ovh_matmul *matmul, const void *multiplied, struct ovh_matmul_sizes *sizes)
{
    if (logs_its_calls())
        return false;
    int was = errno;
    get *layout = (get *)ovh_real_of(OVH_HOOK_cublasLtMatrixLayoutGetAttribute, multiplied);
    get *operation = (get *)ovh_real_of(OVH_HOOK_cublasLtMatmulDescGetAttribute, multiplied);
    bool told = ask_all(matmul, layout, operation, sizes);
    errno = was;
    return told;
}
