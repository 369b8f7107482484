/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/capture.h"

/* C is m x n. A is m x k or, transposed, k x m: k is the other one of its two sizes, and where both are m so is k. */
void ovh_put_gemm_lt(struct ovh_thread *t, const void *operation, const void *a, const void *b, const void *c)
{
    struct ovh_layout left, right, product, matmul = {0};
    if (!ovh_layout_get(a, &left) || !ovh_layout_get(b, &right) || !ovh_layout_get(c, &product))
        return;
    ovh_layout_get(operation, &matmul);
    uint64_t k = left.rows == product.rows ? left.columns : left.rows;
    ovh_put_gemm(t, product.rows, product.columns, k, product.batch, OVH_GEMM_TYPES(left.type, right.type, product.type, matmul.type));
}
