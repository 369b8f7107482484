/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function of the simulated libcudart.so.12 / .13, declared from the table, and the driver it calls.
 */
#ifndef OVH_SIM_RUNTIME_H
#define OVH_SIM_RUNTIME_H

#include "sim/driver_pointers.h"

#if SIM_CUDA == 12
#define RUNTIME_VERSION 12080
#else
#define RUNTIME_VERSION 13000
#endif

/* A line for one CUDA version only: taken where this library's version is within it. */
#define OLDER(until, ret, name, twin, does, ...) SIM_IF(SIM_BELOW_##until, HOOK(ret, name, twin, does, __VA_ARGS__))
#define NEWER(since, ret, name, twin, does, ...) SIM_IF(SIM_SINCE_##since, HOOK(ret, name, twin, does, __VA_ARGS__))
#define VOID_HOOK(name, twin, does, ...) HOOK(void, name, twin, does, __VA_ARGS__)
#define SIM_IF(condition, ...) OVH_PASTE(SIM_IF_, condition)(__VA_ARGS__)
#define SIM_IF_1(...) __VA_ARGS__
#define SIM_IF_0(...)
#define SIM_BELOW_12000 0
#define SIM_SINCE_12000 1
#if SIM_CUDA == 12
#define SIM_BELOW_13000 1
#define SIM_SINCE_13000 0
#else
#define SIM_BELOW_13000 0
#define SIM_SINCE_13000 1
#endif

#define HOOK(ret, name, twin, does, ...) SIM_DECLARE(ret, name, twin, __VA_ARGS__)
#include "ovh/hooks/cudart.def"
#undef HOOK

#define RUNTIME_CALL(name) SIM_CALL(cudart, name)

#define RUNTIME_USES(USE) \
    USE(cuCtxSetCurrent) USE(cuDeviceGetAttribute) USE(cuDeviceGetCount) USE(cuDeviceGetPCIBusId) USE(cuDevicePrimaryCtxRetain) \
    USE(cuDriverGetVersion) USE(cuInit) USE(cuCtxSynchronize) \
    USE(cuMemAlloc_v2) USE(cuMemAllocAsync) USE(cuMemAllocFromPoolAsync) USE(cuMemAllocManaged) USE(cuMemAllocPitch_v2) \
    USE(cuMemHostAlloc) USE(cuMemAllocHost_v2) USE(cuMemFree_v2) USE(cuMemFreeAsync) USE(cuMemFreeHost) USE(cuMemGetInfo_v2) \
    USE(cuMemHostRegister_v2) USE(cuMemHostUnregister) USE(cuMemHostGetDevicePointer_v2) \
    USE(cuMemcpy) USE(cuMemcpyAsync) USE(cuMemcpyHtoD_v2) USE(cuMemcpyHtoDAsync_v2) USE(cuMemcpyDtoH_v2) USE(cuMemcpyDtoHAsync_v2) \
    USE(cuMemcpyDtoD_v2) USE(cuMemcpyDtoDAsync_v2) USE(cuMemcpy2DUnaligned_v2) USE(cuMemcpy2DAsync_v2) USE(cuMemcpyPeerAsync) \
    USE(cuMemsetD8_v2) USE(cuMemsetD8Async) \
    USE(cuEventCreate) USE(cuEventDestroy_v2) USE(cuEventRecord) USE(cuEventRecordWithFlags) USE(cuEventQuery) \
    USE(cuEventSynchronize) USE(cuEventElapsedTime) \
    USE(cuStreamCreate) USE(cuStreamCreateWithPriority) USE(cuStreamDestroy_v2) USE(cuStreamQuery) USE(cuStreamSynchronize) \
    USE(cuStreamWaitEvent) USE(cuStreamGetPriority) USE(cuStreamGetFlags) USE(cuStreamGetId) USE(cuStreamBeginCapture_v2) \
    USE(cuStreamEndCapture) USE(cuStreamIsCapturing) USE(cuStreamGetCaptureInfo_v2) USE(cuThreadExchangeStreamCaptureMode) \
    USE(cuGraphCreate) USE(cuGraphDestroy) USE(cuGraphInstantiateWithFlags) USE(cuGraphExecDestroy) USE(cuGraphLaunch) \
    USE(cuGraphGetNodes) \
    USE(cuLibraryLoadData) USE(cuLibraryGetKernel) USE(cuLibraryUnload) USE(cuKernelGetFunction) USE(cuFuncGetName) \
    USE(cuLaunchKernel) USE(cuLaunchKernelEx) USE(cuLaunchCooperativeKernel) USE(cuLaunchHostFunc) \
    USE(cuOccupancyMaxActiveBlocksPerMultiprocessor) USE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)

struct runtime_driver {
    RUNTIME_USES(SIM_DRIVER_MEMBER)
};
/* The driver, opened and initialised at the first call that needs it. */
const struct runtime_driver *driver(void);

/* Remembers a failure for cudaGetLastError, and returns it. CUresult and cudaError_t have the same numbers. */
cudaError_t done(int status);
#define INVALID_DEVICE_FUNCTION 98
#define INVALID_SYMBOL 13
#define INVALID_DEVICE 101

/* The kernel of a host stub (what `<<<>>>` names) or of a cudaKernel_t. NULL: neither. */
CUfunction function_of(const void *stub);
/* Device memory of a registered __device__ or __constant__ variable. NULL: not one. */
void *variable_of(const void *symbol, size_t *bytes);

#endif
