/* SPDX-License-Identifier: Apache-2.0
 * A libcublasLt.so.13 whose descriptors are the caller's memory or malloc'ed. */
#include "say.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cublasLtCreate(void **handle)
{
    SAY("cublasLtCreate\n");
    *handle = (void *)1;
    return 0;
}
struct layout {
    int type, batch;
    uint64_t rows, columns;
};
int cublasLtMatrixLayoutInit_internal(void *layout, size_t size, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    SAY("cublasLtMatrixLayoutInit_internal\n");
    *(struct layout *)layout = (struct layout){type, 1, rows, columns};
    return 0;
}
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    struct layout *made = malloc(sizeof *made);
    *made = (struct layout){type, 1, rows, columns};
    *layout = made;
    return 0;
}
int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute, const void *value, size_t bytes)
{
    if (attribute == 5)
        ((struct layout *)layout)->batch = *(const int *)value;
    return 0;
}
/* Sets errno, as a library that logs or locks may. */
int cublasLtMatrixLayoutGetAttribute(void *handle, int attribute, void *value, size_t bytes, size_t *written)
{
    const struct layout *layout = handle;
    const void *from = attribute == 0 ? &layout->type : attribute == 5 ? &layout->batch : attribute == 2 ? &layout->rows : (const void *)&layout->columns;
    memcpy(value, from, bytes);
    *written = bytes;
    errno = ENOENT;
    return 0;
}
int cublasLtMatmulDescCreate(void **desc, int compute, int scale)
{
    *desc = malloc(sizeof(int));
    **(int **)desc = compute;
    return 0;
}
int cublasLtMatmulDescGetAttribute(void *desc, int attribute, void *value, size_t bytes, size_t *written)
{
    memcpy(value, desc, bytes);
    *written = bytes;
    return 0;
}
int cublasLtMatmul(void *h, void *desc, const void *alpha, const void *a, void *al, const void *b, void *bl, const void *beta, const void *c, void *cl,
                   void *d, void *dl, const void *algo, void *workspace, size_t bytes, void *stream)
{
    SAY("cublasLtMatmul %zu %p\n", bytes, stream);
    errno = EDOM;
    return stream == (void *)7 ? 0 : 15;
}
