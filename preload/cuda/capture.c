/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/capture.h"
#include "preload/cuda/layouts.h"

void ovh_put_gemm_lt(struct ovh_thread *t, const void *real, const void *operation, const void *a, const void *b, const void *c)
{
    struct ovh_matmul_sizes s;
    if (ovh_matmul_ask(&(struct ovh_matmul){operation, a, b, c}, real, &s))
        ovh_put_gemm(t, s.m, s.n, s.k, (uint32_t)s.batch, OVH_GEMM_TYPES(s.types[0], s.types[1], s.types[2], s.compute_type));
}
