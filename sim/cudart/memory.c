/* SPDX-License-Identifier: Apache-2.0
 *
 * libcudart: memory, copies, fills.
 */
#include "sim/cudart/runtime.h"
#include <string.h>

#define ADDRESS(pointer) ((CUdeviceptr)(uintptr_t)(pointer))
#define RESULT(pointer) ((CUdeviceptr *)(void *)(pointer))

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    RUNTIME_CALL(cudaMalloc);
    if (devPtr && !size) { /* nothing asked for, nothing given, no error */
        *devPtr = NULL;
        return cudaSuccess;
    }
    return done(driver()->cuMemAlloc_v2(RESULT(devPtr), size));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    RUNTIME_CALL(cudaMallocManaged);
    return done(driver()->cuMemAllocManaged(RESULT(devPtr), size, flags));
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    RUNTIME_CALL(cudaMallocPitch);
    return done(driver()->cuMemAllocPitch_v2(RESULT(devPtr), pitch, width, height, 4));
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    RUNTIME_CALL(cudaMallocAsync);
    return done(driver()->cuMemAllocAsync(RESULT(devPtr), size, hStream));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    RUNTIME_CALL(cudaMallocFromPoolAsync);
    return done(driver()->cuMemAllocFromPoolAsync(RESULT(ptr), size, memPool, stream));
}

cudaError_t cudaFree(void *devPtr)
{
    RUNTIME_CALL(cudaFree);
    return done(driver()->cuMemFree_v2(ADDRESS(devPtr)));
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    RUNTIME_CALL(cudaFreeAsync);
    return done(driver()->cuMemFreeAsync(ADDRESS(devPtr), hStream));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    RUNTIME_CALL(cudaHostAlloc);
    return done(driver()->cuMemHostAlloc(pHost, size, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    RUNTIME_CALL(cudaMallocHost);
    return done(driver()->cuMemAllocHost_v2(ptr, size));
}

cudaError_t cudaFreeHost(void *ptr)
{
    RUNTIME_CALL(cudaFreeHost);
    return done(driver()->cuMemFreeHost(ptr));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    RUNTIME_CALL(cudaHostRegister);
    return done(driver()->cuMemHostRegister_v2(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr)
{
    RUNTIME_CALL(cudaHostUnregister);
    return done(driver()->cuMemHostUnregister(ptr));
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    RUNTIME_CALL(cudaHostGetDevicePointer);
    return done(driver()->cuMemHostGetDevicePointer_v2(RESULT(pDevice), pHost, flags));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    RUNTIME_CALL(cudaMemGetInfo);
    return done(driver()->cuMemGetInfo_v2(free, total));
}

/* Any pointer of the process may be asked for: memory that CUDA does not know is "unregistered", with no device pointer. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    RUNTIME_CALL(cudaPointerGetAttributes);
    struct {
        int type, device;
        const void *device_pointer, *host_pointer;
    } head = {.type = (int)sim_memory_of(ptr, NULL, NULL)};
    if (!attributes)
        return done(SIM_INVALID_VALUE);
    if (head.type == SIM_MEMORY_NONE)
        head.device = -2; /* cudaInvalidDeviceId */
    else
        head.device_pointer = ptr;
    if (head.type != SIM_MEMORY_DEVICE)
        head.host_pointer = ptr;
    memset(attributes, 0, SIM_CUDA == 12 ? 24 : 88);
    memcpy(attributes, &head, sizeof head);
    return cudaSuccess;
}

/* With a direction the runtime calls the driver function of that direction, as the real one does. */
static int copy(void *to, const void *from, size_t bytes, int kind)
{
    const struct runtime_driver *d = driver();
    if (kind == cudaMemcpyHostToDevice)
        return d->cuMemcpyHtoD_v2(ADDRESS(to), from, bytes);
    if (kind == cudaMemcpyDeviceToHost)
        return d->cuMemcpyDtoH_v2(to, ADDRESS(from), bytes);
    if (kind == cudaMemcpyDeviceToDevice)
        return d->cuMemcpyDtoD_v2(ADDRESS(to), ADDRESS(from), bytes);
    return d->cuMemcpy(ADDRESS(to), ADDRESS(from), bytes);
}

static int copy_async(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    const struct runtime_driver *d = driver();
    if (kind == cudaMemcpyHostToDevice)
        return d->cuMemcpyHtoDAsync_v2(ADDRESS(to), from, bytes, stream);
    if (kind == cudaMemcpyDeviceToHost)
        return d->cuMemcpyDtoHAsync_v2(to, ADDRESS(from), bytes, stream);
    if (kind == cudaMemcpyDeviceToDevice)
        return d->cuMemcpyDtoDAsync_v2(ADDRESS(to), ADDRESS(from), bytes, stream);
    return d->cuMemcpyAsync(ADDRESS(to), ADDRESS(from), bytes, stream);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(cudaMemcpy);
    return done(copy(dst, src, count, (int)kind));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL(cudaMemcpyAsync);
    return done(copy_async(dst, src, count, (int)kind, stream));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count, cudaStream_t stream)
{
    RUNTIME_CALL(cudaMemcpyPeerAsync);
    return done(driver()->cuMemcpyPeerAsync(ADDRESS(dst), NULL, ADDRESS(src), NULL, count, stream));
}

static int to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind, cudaStream_t stream, int async)
{
    size_t size;
    char *memory = variable_of(symbol, &size);
    if (!memory || offset > size || bytes > size - offset)
        return memory ? SIM_INVALID_VALUE : INVALID_SYMBOL;
    return async ? copy_async(memory + offset, from, bytes, kind, stream) : copy(memory + offset, from, bytes, kind);
}

static int from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind, cudaStream_t stream, int async)
{
    size_t size;
    const char *memory = variable_of(symbol, &size);
    if (!memory || offset > size || bytes > size - offset)
        return memory ? SIM_INVALID_VALUE : INVALID_SYMBOL;
    return async ? copy_async(to, memory + offset, bytes, kind, stream) : copy(to, memory + offset, bytes, kind);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(cudaMemcpyToSymbol);
    return done(to_symbol(symbol, src, count, offset, (int)kind, NULL, 0));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    RUNTIME_CALL(cudaMemcpyToSymbolAsync);
    return done(to_symbol(symbol, src, count, offset, (int)kind, stream, 1));
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(cudaMemcpyFromSymbol);
    return done(from_symbol(dst, symbol, count, offset, (int)kind, NULL, 0));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    RUNTIME_CALL(cudaMemcpyFromSymbolAsync);
    return done(from_symbol(dst, symbol, count, offset, (int)kind, stream, 1));
}

static CUDA_MEMCPY2D described(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height)
{
    return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = ADDRESS(src), .srcPitch = spitch,
                           .dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = ADDRESS(dst), .dstPitch = dpitch,
                           .WidthInBytes = width, .Height = height};
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL(cudaMemcpy2D);
    CUDA_MEMCPY2D p = described(dst, dpitch, src, spitch, width, height);
    return done(driver()->cuMemcpy2DUnaligned_v2(&p));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL(cudaMemcpy2DAsync);
    CUDA_MEMCPY2D p = described(dst, dpitch, src, spitch, width, height);
    return done(driver()->cuMemcpy2DAsync_v2(&p, stream));
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    RUNTIME_CALL(cudaMemset);
    return done(driver()->cuMemsetD8_v2(ADDRESS(devPtr), (unsigned char)value, count));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    RUNTIME_CALL(cudaMemsetAsync);
    return done(driver()->cuMemsetD8Async(ADDRESS(devPtr), (unsigned char)value, count, stream));
}

/* Memory does not leave the process. */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    RUNTIME_CALL(cudaIpcGetMemHandle);
    return done(SIM_NOT_SUPPORTED);
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    RUNTIME_CALL(cudaIpcOpenMemHandle);
    return done(SIM_NOT_SUPPORTED);
}

/* The device's one pool: stream-ordered allocation needs no state. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    RUNTIME_CALL(cudaDeviceGetDefaultMemPool);
    static char pool[8];
    if (!memPool)
        return done(SIM_INVALID_VALUE);
    *memPool = (cudaMemPool_t)(void *)pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    RUNTIME_CALL(cudaMemPoolGetAttribute);
    if (!value)
        return done(SIM_INVALID_VALUE);
    memset(value, 0, (int)attr >= 4 ? sizeof(uint64_t) : sizeof(int)); /* from number 4 on they are 64 bits wide */
    return cudaSuccess;
}
