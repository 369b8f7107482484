/* SPDX-License-Identifier: Apache-2.0
 *
 * What cuGetProcAddress and cudaGetDriverEntryPoint answer is replaced by a wrapper. The runtime asks for some 440 functions that
 * way, before cuInit, among them cuGetProcAddress itself. cuGetExportTable is not touched: its tables are checked by their users.
 */
#ifndef OVH_CUDA_PROC_ADDRESS_H
#define OVH_CUDA_PROC_ADDRESS_H

#include "preload/writer/thread.h"

/* After a successful call. `symbol` may be "", NULL, `function` NULL. `version` is the CUDA version asked for, 0 where none is.
 * `flags`: 2 asks for the per-thread default stream's functions. An unknown version passes through and is counted. */
OVH_HIDDEN void ovh_proc_address(const char *symbol, void **function, int version, uint64_t flags);

#endif
