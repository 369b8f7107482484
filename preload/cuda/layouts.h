/* SPDX-License-Identifier: Apache-2.0
 *
 * What cublasLt's opaque descriptors were made with, by their address, so that a matmul's m, n, k and types can be told. A program
 * makes and drops them around every call, so they live in a small fixed table; where two addresses share a place the later one
 * stays, and a matmul whose descriptors are not there is told without sizes.
 */
#ifndef OVH_CUDA_LAYOUTS_H
#define OVH_CUDA_LAYOUTS_H

#include "preload/writer/thread.h"
#include <stddef.h>

struct ovh_layout {
    uint64_t rows, columns; /* of one matrix; 0, 0 in a matmul descriptor */
    uint32_t type;          /* cudaDataType, or cublasComputeType_t of a matmul descriptor */
    uint32_t batch;
};
OVH_HIDDEN void ovh_layout_put(const void *handle, uint32_t type, uint64_t rows, uint64_t columns);
OVH_HIDDEN void ovh_layout_set(const void *handle, int attribute, const void *value, size_t bytes);
OVH_HIDDEN void ovh_layout_gone(const void *handle);
OVH_HIDDEN bool ovh_layout_get(const void *handle, struct ovh_layout *layout);

#endif
