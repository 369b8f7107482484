/* SPDX-License-Identifier: Apache-2.0
 * A libcublasLt.so.13 whose descriptors are the caller's memory or malloc'ed. */
#include "say.h"
#include <stdint.h>
#include <stdlib.h>

int cublasLtCreate(void **handle)
{
    SAY("cublasLtCreate\n");
    *handle = (void *)1;
    return 0;
}
int cublasLtMatrixLayoutInit_internal(void *layout, size_t size, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    SAY("cublasLtMatrixLayoutInit_internal\n");
    return 0;
}
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    *layout = malloc(64);
    return 0;
}
int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute, const void *value, size_t bytes)
{
    return 0;
}
int cublasLtMatmulDescCreate(void **desc, int compute, int scale)
{
    *desc = malloc(64);
    return 0;
}
int cublasLtMatmul(void *h, void *desc, const void *alpha, const void *a, void *al, const void *b, void *bl, const void *beta, const void *c, void *cl,
                   void *d, void *dl, const void *algo, void *workspace, size_t bytes, void *stream)
{
    SAY("cublasLtMatmul %zu %p\n", bytes, stream);
    return 15;
}
