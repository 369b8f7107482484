/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of device functions, by every handle a launch may name them with: host stub, CUfunction, CUkernel, cudaKernel_t. Learnt
 * from registration and module calls, never by asking CUDA. A PyTorch process registers tens of thousands at `import torch`:
 * 24 bytes and some 50 ns each, no malloc.
 */
#ifndef OVH_CUDA_KERNELS_H
#define OVH_CUDA_KERNELS_H

#include "preload/writer/thread.h"

/* `name` stays valid for as long as the handle may be launched (text in the registering object). The last one told counts. */
OVH_HIDDEN void ovh_kernel_registered(const void *handle, const char *name);
/* The same for a text of the caller's, which is copied. */
OVH_HIDDEN void ovh_kernel_named(const void *handle, const char *name);
/* `handle` is another handle of what `from` is a handle of. */
OVH_HIDDEN void ovh_kernel_same(const void *handle, const void *from);
/* Id of the kernel in the trace, defined at its first launch; 0 where the name is not known. Lock-free but for that first launch. */
OVH_HIDDEN uint32_t ovh_kernel_id(const void *handle);

#endif
