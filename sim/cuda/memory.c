/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: memory, copies, fills.
 */
#include "sim/cuda/driver.h"

static CUresult alloc(CUdeviceptr *out, size_t bytes, enum sim_memory kind)
{
    void *memory;
    if (!out || !bytes)
        return SIM_INVALID_VALUE;
    CUresult result = sim_memory_alloc(&memory, bytes, kind);
    *out = (CUdeviceptr)(uintptr_t)memory;
    return result;
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    DRIVER_CALL(cuMemAlloc_v2);
    return alloc(dptr, bytesize, SIM_MEMORY_DEVICE);
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    DRIVER_CALL(cuMemAllocManaged);
    return alloc(dptr, bytesize, SIM_MEMORY_MANAGED);
}

/* Rows begin at multiples of 512 bytes, as on the GPUs of today. */
CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int ElementSizeBytes)
{
    DRIVER_CALL(cuMemAllocPitch_v2);
    if (!pPitch || !WidthInBytes || !Height)
        return SIM_INVALID_VALUE;
    *pPitch = (WidthInBytes + 511) / 512 * 512;
    return alloc(dptr, *pPitch * Height, SIM_MEMORY_DEVICE);
}

/* Stream-ordered allocation needs no stream here: the memory is there at once. */
CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    DRIVER_CALL(cuMemAllocAsync);
    return alloc(dptr, bytesize, SIM_MEMORY_DEVICE);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    DRIVER_CALL(cuMemAllocFromPoolAsync);
    return alloc(dptr, bytesize, SIM_MEMORY_DEVICE);
}

/* Waits for the device, as a GPU's does: work may still use the memory. */
CUresult cuMemFree_v2(CUdeviceptr dptr)
{
    DRIVER_CALL(cuMemFree_v2);
    if (dptr)
        sim_device_synchronize();
    return sim_memory_free(DEVICE_POINTER(dptr));
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    DRIVER_CALL(cuMemFreeAsync);
    return sim_memory_free(DEVICE_POINTER(dptr));
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    DRIVER_CALL(cuMemAllocHost_v2);
    return sim_memory_alloc(pp, bytesize, SIM_MEMORY_HOST);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    DRIVER_CALL(cuMemHostAlloc);
    return sim_memory_alloc(pp, bytesize, SIM_MEMORY_HOST);
}

CUresult cuMemFreeHost(void *p)
{
    DRIVER_CALL(cuMemFreeHost);
    return sim_memory_free(p);
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    DRIVER_CALL(cuMemHostRegister_v2);
    return sim_memory_register(p, bytesize);
}

CUresult cuMemHostUnregister(void *p)
{
    DRIVER_CALL(cuMemHostUnregister);
    return sim_memory_unregister(p);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    DRIVER_CALL(cuMemHostGetDevicePointer_v2);
    if (!pdptr || sim_memory_of(p, NULL, NULL) == SIM_MEMORY_NONE)
        return SIM_INVALID_VALUE;
    *pdptr = (CUdeviceptr)(uintptr_t)p;
    return SIM_OK;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
    DRIVER_CALL(cuMemGetInfo_v2);
    sim_memory_info(free, total);
    return SIM_OK;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    DRIVER_CALL(cuMemGetAddressRange_v2);
    void *base;
    size_t bytes;
    if (sim_memory_of(DEVICE_POINTER(dptr), &base, &bytes) == SIM_MEMORY_NONE)
        return SIM_NOT_FOUND;
    if (pbase)
        *pbase = (CUdeviceptr)(uintptr_t)base;
    if (psize)
        *psize = bytes;
    return SIM_OK;
}

/* Numbers of CUpointer_attribute. */
static CUresult pointer_attribute(void *data, int attribute, CUdeviceptr pointer)
{
    void *base = NULL;
    size_t bytes = 0;
    enum sim_memory kind = sim_memory_of(DEVICE_POINTER(pointer), &base, &bytes);
    if (!data || kind == SIM_MEMORY_NONE)
        return SIM_INVALID_VALUE;
    switch (attribute) {
    case 1: /* context */
        *(CUcontext *)data = SIM_CONTEXT;
        break;
    case 2: /* memory type: host 1, device 2 */
        *(unsigned *)data = kind == SIM_MEMORY_HOST ? 1 : 2;
        break;
    case 3: /* device pointer */
    case 4: /* host pointer */
        *(CUdeviceptr *)data = pointer;
        break;
    case 7: /* buffer id */
    case 11: /* start of the range */
        *(CUdeviceptr *)data = (CUdeviceptr)(uintptr_t)base;
        break;
    case 8: /* managed */
        *(int *)data = kind == SIM_MEMORY_MANAGED;
        break;
    case 9: /* device */
        *(int *)data = 0;
        break;
    case 12: /* bytes of the range */
        *(size_t *)data = bytes;
        break;
    case 13: /* mapped */
        *(int *)data = 1;
        break;
    default:
        *(int *)data = 0;
    }
    return SIM_OK;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    DRIVER_CALL(cuPointerGetAttribute);
    return pointer_attribute(data, (int)attribute, ptr);
}

/* A pointer that is not ours makes each answer zero; that is no error here. */
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr)
{
    DRIVER_CALL(cuPointerGetAttributes);
    if (!attributes || !data)
        return SIM_INVALID_VALUE;
    for (unsigned i = 0; i < numAttributes; i++)
        if (pointer_attribute(data[i], (int)attributes[i], ptr) && data[i])
            *(int *)data[i] = 0;
    return SIM_OK;
}

#define COPY(name, to_type, from_type, blocking) \
    CUresult name(to_type to, from_type from, size_t bytes) \
    { \
        DRIVER_CALL(name); \
        return sim_copy(NULL, DEVICE_POINTER(to), DEVICE_POINTER(from), bytes, blocking); \
    }
#define COPY_ASYNC(name, to_type, from_type) \
    CUresult name(to_type to, from_type from, size_t bytes, CUstream stream) \
    { \
        DRIVER_CALL(name); \
        return sim_copy(stream, DEVICE_POINTER(to), DEVICE_POINTER(from), bytes, SIM_ASYNC); \
    }

COPY(cuMemcpy, CUdeviceptr, CUdeviceptr, SIM_BLOCKS)
COPY(cuMemcpyHtoD_v2, CUdeviceptr, const void *, SIM_BLOCKS)
COPY(cuMemcpyDtoH_v2, void *, CUdeviceptr, SIM_BLOCKS)
COPY(cuMemcpyDtoD_v2, CUdeviceptr, CUdeviceptr, SIM_ASYNC) /* within the device even this one does not wait */
COPY_ASYNC(cuMemcpyAsync, CUdeviceptr, CUdeviceptr)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, void *, CUdeviceptr)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr)

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount,
                           CUstream hStream)
{
    DRIVER_CALL(cuMemcpyPeerAsync);
    return sim_copy(hStream, DEVICE_POINTER(dstDevice), DEVICE_POINTER(srcDevice), ByteCount, SIM_ASYNC);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *p, void *stream, enum sim_blocking blocking)
{
    if (!p || p->srcMemoryType == CU_MEMORYTYPE_ARRAY || p->dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return p ? SIM_NOT_SUPPORTED : SIM_INVALID_VALUE;
    const char *from = p->srcMemoryType == CU_MEMORYTYPE_HOST ? p->srcHost : DEVICE_POINTER(p->srcDevice);
    char *to = p->dstMemoryType == CU_MEMORYTYPE_HOST ? p->dstHost : DEVICE_POINTER(p->dstDevice);
    return sim_copy_2d(stream, to + p->dstY * p->dstPitch + p->dstXInBytes, p->dstPitch,
                       from + p->srcY * p->srcPitch + p->srcXInBytes, p->srcPitch, p->WidthInBytes, p->Height, blocking);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
    DRIVER_CALL(cuMemcpy2D_v2);
    return copy_2d(pCopy, NULL, SIM_BLOCKS);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    DRIVER_CALL(cuMemcpy2DUnaligned_v2);
    return copy_2d(pCopy, NULL, SIM_BLOCKS);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    DRIVER_CALL(cuMemcpy2DAsync_v2);
    return copy_2d(pCopy, hStream, SIM_ASYNC);
}

#define FILL(name, async_name, type) \
    CUresult name(CUdeviceptr to, type value, size_t count) \
    { \
        DRIVER_CALL(name); \
        return sim_fill(NULL, DEVICE_POINTER(to), value, sizeof value, count, SIM_ASYNC); \
    } \
    CUresult async_name(CUdeviceptr to, type value, size_t count, CUstream stream) \
    { \
        DRIVER_CALL(async_name); \
        return sim_fill(stream, DEVICE_POINTER(to), value, sizeof value, count, SIM_ASYNC); \
    }

FILL(cuMemsetD8_v2, cuMemsetD8Async, unsigned char)
FILL(cuMemsetD16_v2, cuMemsetD16Async, unsigned short)
FILL(cuMemsetD32_v2, cuMemsetD32Async, unsigned int)
