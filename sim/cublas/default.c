/* SPDX-License-Identifier: Apache-2.0
 *
 * libcublas: default bodies. The body of a matrix product launches its kernel: the table says which arguments are m, n, k and batch.
 */
#include "sim/cublas/blas.h"

#define BODY(does) OVH_PASTE(BODY_, does)
#define BODY_PLAIN
#define BODY_QUERY
#define BODY_SET
#define BODY_LOOKUP
#define BODY_COPY(...)
#define BODY_COPY_SYNC(...)
#define BODY_GEMM(m, n, k, batch, ...) return blas_gemm(handle, m, n, k, batch);

#define HOOK(ret, name, twin, does, ...) \
    __attribute__((weak)) ret name(OVH_PARAMS(__VA_ARGS__)) \
    { \
        static struct sim_call call = {#name, "cublas", 0, 0, true}; \
        sim_charge(&call); \
        BODY(does) \
        return (ret)0; \
    }
#include "ovh/hooks/cublas.def"
#undef HOOK
