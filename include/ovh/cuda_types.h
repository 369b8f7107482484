/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA types that the hook tables need, by our own hand, so that building needs no CUDA. Names are CUDA's, so that a
 table line
 * compiles with this header and with the real ones alike; never include both in one file.
 *
 * What is promised: each type has the size, alignment and passing convention of CUDA's own on x86-64 and aarch64 Linux, for
 CUDA 12
 * and 13. Handles are pointers to structs that nobody defines; an enum that no hook looks into has one made-up enumerator, wide
 * enough for 32 bits; a struct that only ever stands behind a pointer is incomplete, and whoever must look inside defines it.
 * Structs with members are those passed by value or read by a hook. `make check-tables` compares all of it with real headers.
 */
#ifndef OVH_CUDA_TYPES_H
#define OVH_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* ---- numbers ---- */

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle, CUtexObject, CUsurfObject, cudaTextureObject_t, cudaSurfaceObject_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef cuuint64_t CUgraphConditionalHandle;
typedef unsigned int CUlogIterator, cudaLogIterator;
typedef cuuint32_t CUlogicalEndpointId;

/* ---- enums whose values a hook or the simulated libraries use ---- */

typedef enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorNotReady = 600, cudaErrorUnknown = 999
} cudaError_t;
typedef enum cudaError_enum {
    CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;
typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_NOT_SUPPORTED = 15 } cublasStatus_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1, cudaStreamCaptureStatusInvalidated = 2
};
typedef enum CUmemorytype_enum {
    CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3, CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;
typedef enum cudaDataType_t {
    CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_8I = 3, CUDA_C_32F = 4, CUDA_C_64F = 5, CUDA_C_16F = 6, CUDA_R_8U = 8,
    CUDA_R_32I = 10, CUDA_R_16BF = 14, CUDA_C_16BF = 15, CUDA_R_8F_E4M3 = 28, CUDA_R_8F_E5M2 = 29
} cudaDataType;
typedef enum cudaDataType_t cudaDataType_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
    CUBLASLT_MATRIX_LAYOUT_TYPE = 0, CUBLASLT_MATRIX_LAYOUT_ORDER = 1, CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
    CUBLASLT_MATRIX_LAYOUT_COLS = 3,
    CUBLASLT_MATRIX_LAYOUT_LD = 4, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5
} cublasLtMatrixLayoutAttribute_t;
typedef enum { CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0, OVH_ANY_MATMUL_DESC_ATTRIBUTE = 0x7fffffff } cublasLtMatmulDescAttributes_t;

/* ---- enums that pass through: 4 bytes, any value ---- */

#define OVH_ENUM(name) typedef enum { OVH_ANY_##name = 0x7fffffff } name;
#define OVH_ENUM_TAG(name) enum name { OVH_ANY_##name = 0x7fffffff };

OVH_ENUM(CUarray_format) OVH_ENUM(CUatomicOperation) OVH_ENUM(CUcoredumpSettings) OVH_ENUM(CUdevResourceType)
OVH_ENUM(CUdevice_P2PAttribute) OVH_ENUM(CUdevice_attribute) OVH_ENUM(CUdriverProcAddressQueryResult)
OVH_ENUM(CUexecAffinityType) OVH_ENUM(CUflushGPUDirectRDMAWritesScope)
OVH_ENUM(CUflushGPUDirectRDMAWritesTarget) OVH_ENUM(CUfunc_cache) OVH_ENUM(CUfunctionLoadingState) OVH_ENUM(CUfunction_attribute)
OVH_ENUM(CUgraphExecUpdateResult) OVH_ENUM(CUgraphMem_attribute) OVH_ENUM(CUgraphNodeType) OVH_ENUM(CUjitInputType)
OVH_ENUM(CUjit_option) OVH_ENUM(CUkernelNodeAttrID) OVH_ENUM(CUlibraryOption) OVH_ENUM(CUlimit) OVH_ENUM(CUmemAccess_flags)
OVH_ENUM(CUmemAllocationGranularity_flags) OVH_ENUM(CUmemAllocationHandleType) OVH_ENUM(CUmemAllocationType)
OVH_ENUM(CUmemPool_attribute) OVH_ENUM(CUmemRangeHandleType) OVH_ENUM(CUmem_advise) OVH_ENUM(CUmem_range_attribute)
OVH_ENUM(CUmoduleLoadingMode) OVH_ENUM(CUmulticastGranularity_flags) OVH_ENUM(CUpointer_attribute) OVH_ENUM(CUprocessState)
OVH_ENUM(CUsharedconfig) OVH_ENUM(CUstreamAttrID) OVH_ENUM(CUstreamCaptureMode) OVH_ENUM(CUstreamCaptureStatus)
OVH_ENUM(CUtensorMapAllocClass) OVH_ENUM(CUtensorMapDataType) OVH_ENUM(CUtensorMapFloatOOBfill)
OVH_ENUM(CUtensorMapIm2ColWideMode) OVH_ENUM(CUtensorMapInterleave)
OVH_ENUM(CUtensorMapL2promotion) OVH_ENUM(CUtensorMapSwizzle)
OVH_ENUM(CUaddress_mode) OVH_ENUM(CUfilter_mode) OVH_ENUM(CUlogicalEndpointIpcHandleType)

OVH_ENUM(cublasAtomicsMode_t) OVH_ENUM(cublasDiagType_t) OVH_ENUM(cublasEmulationStrategy_t) OVH_ENUM(cublasFillMode_t)
OVH_ENUM(cublasGemmAlgo_t) OVH_ENUM(cublasMath_t) OVH_ENUM(cublasOperation_t) OVH_ENUM(cublasPointerMode_t)
OVH_ENUM(cublasSideMode_t)

OVH_ENUM(cublasLtEmulationDescAttributes_t) OVH_ENUM(cublasLtMatmulAlgoCapAttributes_t)
OVH_ENUM(cublasLtMatmulAlgoConfigAttributes_t)
OVH_ENUM(cublasLtMatmulPreferenceAttributes_t) OVH_ENUM(cublasLtMatrixTransformDescAttributes_t)

OVH_ENUM(cudaEmulationMantissaControl) OVH_ENUM(cudaEmulationSpecialValuesSupport) OVH_ENUM(cudaLaunchAttributeID)
OVH_ENUM(libraryPropertyType)

OVH_ENUM_TAG(cudaAtomicOperation) OVH_ENUM_TAG(cudaDevResourceType) OVH_ENUM_TAG(cudaDeviceAttr) OVH_ENUM_TAG(cudaDeviceP2PAttr)
OVH_ENUM_TAG(cudaDriverEntryPointQueryResult) OVH_ENUM_TAG(cudaFlushGPUDirectRDMAWritesScope)
OVH_ENUM_TAG(cudaFlushGPUDirectRDMAWritesTarget) OVH_ENUM_TAG(cudaFuncAttribute) OVH_ENUM_TAG(cudaFuncCache)
OVH_ENUM_TAG(cudaGraphExecUpdateResult) OVH_ENUM_TAG(cudaGraphMemAttributeType) OVH_ENUM_TAG(cudaGraphNodeType)
OVH_ENUM_TAG(cudaJitOption)
OVH_ENUM_TAG(cudaLibraryOption)
OVH_ENUM_TAG(cudaLimit) OVH_ENUM_TAG(cudaMemAccessFlags) OVH_ENUM_TAG(cudaMemAllocationHandleType)
OVH_ENUM_TAG(cudaMemAllocationType) OVH_ENUM_TAG(cudaMemPoolAttr) OVH_ENUM_TAG(cudaMemRangeAttribute)
OVH_ENUM_TAG(cudaMemoryAdvise)
OVH_ENUM_TAG(cudaSharedMemConfig) OVH_ENUM_TAG(cudaStreamCaptureMode)

/* ---- handles ---- */

typedef const struct cudaArray *cudaArray_const_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef struct CUarray_st *CUarray;
typedef struct CUasyncCallbackEntry_st *CUasyncCallbackHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUcoredumpCallbackEntry_st *CUcoredumpCallbackHandle;
typedef struct CUIcheckpointOperation_st *CUcheckpointOperationHandle;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUdevResourceDesc_st *cudaDevResourceDesc_t;
typedef struct cudaExecutionContext_st *cudaExecutionContext_t;
typedef struct CUevent_st *CUevent;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUfunc_st *CUfunction;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUkern_st *CUkernel;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *CUlibrary;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUmod_st *CUmodule;
typedef struct CUstream_st *CUstream;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUtexref_st *CUtexref;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cudaArray *cudaArray_t;
typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct cublasLtEmulationDescOpaque *cublasLtEmulationDesc_t;
typedef struct cublasLtMatmulDescOpaque *cublasLtMatmulDesc_t;
typedef struct cublasLtMatmulPreferenceOpaque *cublasLtMatmulPreference_t;
typedef struct cublasLtMatrixLayoutOpaque *cublasLtMatrixLayout_t;
typedef struct cublasLtMatrixTransformDescOpaque *cublasLtMatrixTransformDesc_t;

/* ---- functions that the program hands over ---- */

struct CUasyncNotificationInfo_st;
struct cudaAsyncNotificationInfo;
typedef void (*CUhostFn)(void *userData);
typedef CUresult (*CUgraphRecaptureCallback)(void); /* its arguments do not matter to a wrapper that hands it on */
typedef void (*CUstreamCallback)(CUstream hStream, CUresult status, void *userData);
typedef size_t (*CUoccupancyB2DSize)(int blockSize);
typedef void (*CUasyncCallback)(struct CUasyncNotificationInfo_st *info, void *userData, CUasyncCallbackHandle callback);
typedef void (*CUlogsCallback)(void *data, int logLevel, char *message, size_t length);
typedef void (*CUcoredumpStatusCallback)(void *userData, int pid, CUdevice dev);
typedef void (*cudaHostFn_t)(void *userData);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);
typedef void (*cudaAsyncCallback)(struct cudaAsyncNotificationInfo *info, void *userData, cudaAsyncCallbackHandle_t callback);
typedef void (*cudaLogsCallback_t)(void *data, int logLevel, char *message, size_t length);
typedef void (*cublasLogCallback)(const char *msg);
typedef void (*cublasLtLoggerCallback_t)(int logLevel, const char *functionName, const char *message);

/* ---- structs behind a pointer ---- */

struct cudaExternalSemaphoreSignalParams_v1; struct cudaExternalSemaphoreWaitParams_v1; struct cudaGraphRecaptureCallbackData;
struct cudaArrayMemoryRequirements; struct cudaArraySparseProperties; struct cudaChannelFormatDesc; struct cudaDeviceProp;
struct cudaExternalMemoryBufferDesc; struct cudaExternalMemoryHandleDesc; struct cudaExternalMemoryMipmappedArrayDesc;
struct cudaExternalSemaphoreHandleDesc; struct cudaExternalSemaphoreSignalNodeParams; struct cudaExternalSemaphoreSignalParams;
struct cudaExternalSemaphoreWaitNodeParams; struct cudaExternalSemaphoreWaitParams; struct cudaFuncAttributes;
struct cudaGraphNodeParams; struct cudaHostNodeParams; struct cudaKernelNodeParams; struct cudaLaunchParams;
struct cudaMemAccessDesc; struct cudaMemAllocNodeParams; struct cudaMemPoolProps; struct cudaMemPoolPtrExportData;
struct cudaMemcpy3DBatchOp; struct cudaMemcpy3DPeerParms; struct cudaMemcpyAttributes; struct cudaMemsetParams;
struct cudaPointerAttributes; struct cudaResourceDesc; struct cudaResourceViewDesc; struct cudaTextureDesc;
typedef union cudaLaunchAttributeValue cudaLaunchAttributeValue;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_ARRAY_DESCRIPTOR_st CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st CUDA_ARRAY_MEMORY_REQUIREMENTS;
typedef struct CUDA_ARRAY_SPARSE_PROPERTIES_st CUDA_ARRAY_SPARSE_PROPERTIES;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_st CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
typedef struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
typedef struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st CUDA_EXT_SEM_WAIT_NODE_PARAMS;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_KERNEL_NODE_PARAMS_st CUDA_KERNEL_NODE_PARAMS_v1;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_LAUNCH_PARAMS_st CUDA_LAUNCH_PARAMS;
typedef struct CUDA_MEMCPY3D_BATCH_OP_st CUDA_MEMCPY3D_BATCH_OP;
typedef struct CUDA_MEMCPY3D_PEER_st CUDA_MEMCPY3D_PEER;
typedef struct CUDA_MEMSET_NODE_PARAMS_st CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_st CUDA_MEM_ALLOC_NODE_PARAMS;
typedef struct CUDA_RESOURCE_DESC_st CUDA_RESOURCE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st CUDA_RESOURCE_VIEW_DESC;
typedef struct CUDA_TEXTURE_DESC_st CUDA_TEXTURE_DESC;
typedef struct CUDA_FABRIC_COPY_BATCH_OP_st CUDA_FABRIC_COPY_BATCH_OP;
typedef struct CUcliqueInfo_st CUcliqueInfo;
typedef struct CUlogicalEndpointProp_st CUlogicalEndpointProp;
typedef struct CUarrayMapInfo_st CUarrayMapInfo;
typedef struct CUcheckpointCheckpointArgs_st CUcheckpointCheckpointArgs;
typedef struct CUcheckpointLockArgs_st CUcheckpointLockArgs;
typedef struct CUcheckpointRestoreArgs_st CUcheckpointRestoreArgs;
typedef struct CUcheckpointUnlockArgs_st CUcheckpointUnlockArgs;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CU_DEV_SM_RESOURCE_GROUP_PARAMS_st CU_DEV_SM_RESOURCE_GROUP_PARAMS;
typedef struct CUstreamCigCaptureParams_st CUstreamCigCaptureParams;
typedef struct cudaDevResource_st cudaDevResource;
typedef struct cudaDevSmResourceGroupParams_st cudaDevSmResourceGroupParams;
typedef struct CUdevResource_st CUdevResource;
typedef struct CUdevprop_st CUdevprop;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUgraphExecUpdateResultInfo_st CUgraphExecUpdateResultInfo;
typedef struct CUgraphNodeParams_st CUgraphNodeParams;
typedef struct CUkernelNodeAttrValue_st CUkernelNodeAttrValue;
typedef struct CUmemAccessDesc_st CUmemAccessDesc;
typedef struct CUmemAllocationProp_st CUmemAllocationProp;
typedef struct CUmemDecompressParams_st CUmemDecompressParams;
typedef struct CUmemPoolProps_st CUmemPoolProps;
typedef struct CUmemPoolPtrExportData_st CUmemPoolPtrExportData;
typedef struct CUmemcpyAttributes_st CUmemcpyAttributes;
typedef struct CUmulticastObjectProp_st CUmulticastObjectProp;
typedef struct CUstreamAttrValue_st CUstreamAttrValue;
typedef struct CUstreamBatchMemOpParams_st CUstreamBatchMemOpParams;
typedef struct CUtensorMap_st CUtensorMap;
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;
typedef struct cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo;
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams;
typedef struct CUuuid_st CUuuid, cudaUUID_t;
typedef struct cublasLtMatmulAlgo cublasLtMatmulAlgo_t;
typedef struct cublasLtMatmulHeuristicResult cublasLtMatmulHeuristicResult_t;
typedef struct uint3 uint3;
typedef struct __half __half;

/* ---- structs passed by value ---- */

typedef struct __attribute__((aligned(8))) float2 {
    float x, y;
} cuComplex;
typedef struct __attribute__((aligned(16))) double2 {
    double x, y;
} cuDoubleComplex;
typedef struct dim3 {
    unsigned int x, y, z;
} dim3;
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemLocation {
    int type, id;
};
typedef struct CUmemLocation_st {
    int type, id;
} CUmemLocation;
typedef struct cudaIpcMemHandle_st {
    char reserved[64];
} cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st {
    char reserved[64];
} cudaIpcEventHandle_t;
typedef struct CUipcMemHandle_st {
    char reserved[64];
} CUipcMemHandle;
typedef struct CUipcEventHandle_st {
    char reserved[64];
} CUipcEventHandle;

/* ---- structs that hooks read ---- */

typedef struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    void *attrs;
    unsigned int numAttrs;
} cudaLaunchConfig_t;
typedef struct CUlaunchConfig_st {
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    void *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent; /* in elements where an array takes part */
    enum cudaMemcpyKind kind;
};
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

#include "ovh/library_types.h"

/* ---- what a table line computes from them; NULL is a legal argument of a call that fails ---- */

/* Bytes of a copy described by `p`; elements, not bytes, where an array takes part. */
static inline size_t ovh_copy3d_bytes(const struct cudaMemcpy3DParms *p)
{
    return p ? p->extent.width * p->extent.height * p->extent.depth : 0;
}
static inline int ovh_copy3d_direction(const struct cudaMemcpy3DParms *p)
{
    return p ? (int)p->kind : cudaMemcpyDefault;
}
/* Which way bytes go between two kinds of memory, as enum cudaMemcpyKind. */
static inline int ovh_driver_copy_direction(CUmemorytype from, CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    return (from == CU_MEMORYTYPE_HOST ? 0 : 2) + (to == CU_MEMORYTYPE_HOST ? 0 : 1);
}
static inline int ovh_driver_copy2d_direction(const CUDA_MEMCPY2D *p)
{
    return p ? ovh_driver_copy_direction(p->srcMemoryType, p->dstMemoryType) : cudaMemcpyDefault;
}
static inline int ovh_driver_copy3d_direction(const CUDA_MEMCPY3D *p)
{
    return p ? ovh_driver_copy_direction(p->srcMemoryType, p->dstMemoryType) : cudaMemcpyDefault;
}
static inline size_t ovh_driver_copy2d_bytes(const CUDA_MEMCPY2D *p)
{
    return p ? p->WidthInBytes * p->Height : 0;
}
static inline size_t ovh_driver_copy3d_bytes(const CUDA_MEMCPY3D *p)
{
    return p ? p->WidthInBytes * p->Height * p->Depth : 0;
}

#endif
