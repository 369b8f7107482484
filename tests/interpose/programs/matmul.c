/* SPDX-License-Identifier: Apache-2.0
 * Linked to libcublasLt.so.13 with versioned references; makes one layout as the header's inline function does, two by Create;
 * one product that fails, one that does not. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
int cublasLtMatrixLayoutInit_internal(void *, size_t, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutSetAttribute(void *, int, const void *, size_t);
int cublasLtMatmulDescCreate(void **, int, int);
int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *, void *, void *,
                   const void *, void *, size_t, void *);
int main(void)
{
    uint64_t a[8];
    int32_t batch = 6;
    void *b, *c, *matmul;
    cublasLtMatrixLayoutInit_internal(a, sizeof a, 14, 48, 32, 48); /* k x m: transposed */
    cublasLtMatrixLayoutCreate(&b, 14, 48, 64, 48);
    cublasLtMatrixLayoutCreate(&c, 0, 32, 64, 32);
    cublasLtMatrixLayoutSetAttribute(c, 5, &batch, sizeof batch);
    cublasLtMatmulDescCreate(&matmul, 68, 0);
    int failed = cublasLtMatmul(0, matmul, 0, 0, 0, 0, b, 0, 0, c, 0, c, 0, 0, 4096, (void *)8); /* a is NULL */
    int done = cublasLtMatmul(0, matmul, 0, 0, a, 0, b, 0, 0, c, 0, c, 0, 0, 4096, (void *)7);
    return failed == 15 && done == 0 && errno == EDOM ? 0 : 1;
}
