/* SPDX-License-Identifier: Apache-2.0
 *
 * What a matmul's opaque descriptors say (m, n, k, batch, types), asked of the library that multiplied, when the call is recorded.
 * To note what each descriptor was made with would cost more than to launch: PyTorch makes and drops four around every product, and at
 * the lowest level no product is recorded. And what was made before we looked is known too.
 */
#ifndef OVH_CUDA_LAYOUTS_H
#define OVH_CUDA_LAYOUTS_H

#include "preload/writer/thread.h"

struct ovh_matmul {
    const void *operation, *a, *b, *c; /* the descriptors' handles, as the program gave them */
};
struct ovh_matmul_sizes {
    uint64_t m, n, k;
    int32_t batch;
    uint32_t types[3], compute_type; /* cudaDataType of A, B, C; cublasComputeType_t */
};

/* `multiplied`: the real function that has just taken these descriptors without an error. False: one of them does not answer, or
 * cublasLt logs its calls, where the asking would stand among the program's own. No lock; leaves errno as it was. */
OVH_HIDDEN bool ovh_matmul_ask(const struct ovh_matmul *matmul, const void *multiplied, struct ovh_matmul_sizes *sizes);

#endif
