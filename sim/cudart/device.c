/* SPDX-License-Identifier: Apache-2.0
 *
 * libcudart: start, errors, the device and its properties, finding driver functions.
 */
#include "sim/cudart/runtime.h"
#include <pthread.h>
#include <string.h>

static struct runtime_driver pointers;
static __thread cudaError_t last_error;

static void start(void)
{
    static const char *const names[] = {RUNTIME_USES(SIM_DRIVER_NAME)};
    CUcontext context;
    sim_driver_take(names, (void **)&pointers, sizeof names / sizeof names[0]);
    pointers.cuInit(0);
    pointers.cuDevicePrimaryCtxRetain(&context, 0);
}

/* A thread's first call makes the one context current, as the runtime does. */
const struct runtime_driver *driver(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static __thread int current;
    pthread_once(&once, start);
    if (!current) {
        CUcontext context;
        current = 1;
        if (!pointers.cuDevicePrimaryCtxRetain(&context, 0))
            pointers.cuCtxSetCurrent(context);
    }
    return &pointers;
}

cudaError_t done(int status)
{
    if (status)
        last_error = status;
    return status;
}

cudaError_t cudaGetLastError(void)
{
    RUNTIME_CALL(cudaGetLastError);
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    RUNTIME_CALL(cudaPeekAtLastError);
    return last_error;
}

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {SIM_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {SIM_OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {INVALID_SYMBOL, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {INVALID_DEVICE_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {SIM_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {SIM_NOT_FOUND, "cudaErrorSymbolNotFound", "named symbol not found"},
    {SIM_NOT_READY, "cudaErrorNotReady", "device not ready"},
    {SIM_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported by the simulated device"},
    {SIM_CAPTURE_UNSUPPORTED, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {SIM_CAPTURE_UNMATCHED, "cudaErrorStreamCaptureUnmatched", "capture was not begun in this stream"},
    {SIM_CAPTURED_EVENT, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
};

static const char *error_text(int error, int name)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].number == error)
            return name ? errors[i].name : errors[i].text;
    return name ? "cudaErrorUnknown" : "unknown error of the simulated device";
}

const char *cudaGetErrorName(cudaError_t error)
{
    RUNTIME_CALL(cudaGetErrorName);
    return error_text((int)error, 1);
}

const char *cudaGetErrorString(cudaError_t error)
{
    RUNTIME_CALL(cudaGetErrorString);
    return error_text((int)error, 0);
}

static cudaError_t number(int *out, int value)
{
    if (!out)
        return done(SIM_INVALID_VALUE);
    *out = value;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    RUNTIME_CALL(cudaRuntimeGetVersion);
    return number(runtimeVersion, RUNTIME_VERSION);
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    RUNTIME_CALL(cudaDriverGetVersion);
    return done(driver()->cuDriverGetVersion(driverVersion));
}

cudaError_t cudaGetDeviceCount(int *count)
{
    RUNTIME_CALL(cudaGetDeviceCount);
    return done(driver()->cuDeviceGetCount(count));
}

cudaError_t cudaGetDevice(int *device)
{
    RUNTIME_CALL(cudaGetDevice);
    return number(device, 0);
}

cudaError_t cudaSetDevice(int device)
{
    RUNTIME_CALL(cudaSetDevice);
    driver();
    return done(device == 0 ? SIM_OK : INVALID_DEVICE);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    RUNTIME_CALL(cudaDeviceGetAttribute);
    return done(driver()->cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device));
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    RUNTIME_CALL(cudaDeviceGetPCIBusId);
    return done(driver()->cuDeviceGetPCIBusId(pciBusId, len, device));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    RUNTIME_CALL(cudaDeviceGetStreamPriorityRange);
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    RUNTIME_CALL(cudaDeviceCanAccessPeer);
    return number(canAccessPeer, 0);
}

cudaError_t cudaDeviceSynchronize(void)
{
    RUNTIME_CALL(cudaDeviceSynchronize);
    return done(driver()->cuCtxSynchronize());
}

/* Where a field of struct cudaDeviceProp lies in CUDA 12 and 13 (tests/sim compares with real headers), and the attribute it shows. */
static const struct field {
    short offset_12, offset_13, attribute;
    char bytes;
} fields[] = {
    {296, 296, 8, 8},    /* sharedMemPerBlock */
    {304, 304, 12, 4},   /* regsPerBlock */
    {308, 308, 10, 4},   /* warpSize */
    {312, 312, 11, 8},   /* memPitch */
    {320, 320, 1, 4},    /* maxThreadsPerBlock */
    {324, 324, 2, 4},    /* maxThreadsDim */
    {328, 328, 3, 4},
    {332, 332, 4, 4},
    {336, 336, 5, 4},    /* maxGridSize */
    {340, 340, 6, 4},
    {344, 344, 7, 4},
    {348, -1, 13, 4},    /* clockRate */
    {352, 352, 9, 8},    /* totalConstMem */
    {360, 360, 75, 4},   /* major */
    {364, 364, 76, 4},   /* minor */
    {368, 368, 14, 8},   /* textureAlignment */
    {376, 376, 51, 8},   /* texturePitchAlignment */
    {384, -1, 15, 4},    /* deviceOverlap */
    {388, 384, 16, 4},   /* multiProcessorCount */
    {396, 388, 18, 4},   /* integrated */
    {400, 392, 19, 4},   /* canMapHostMemory */
    {576, 560, 31, 4},   /* concurrentKernels */
    {580, 564, 32, 4},   /* ECCEnabled */
    {600, 584, 40, 4},   /* asyncEngineCount */
    {604, 588, 41, 4},   /* unifiedAddressing */
    {608, -1, 36, 4},    /* memoryClockRate */
    {612, 592, 37, 4},   /* memoryBusWidth */
    {616, 596, 38, 4},   /* l2CacheSize */
    {620, 600, 108, 4},  /* persistingL2CacheMaxSize */
    {624, 604, 39, 4},   /* maxThreadsPerMultiProcessor */
    {628, 608, 78, 4},   /* streamPrioritiesSupported */
    {632, 612, 79, 4},   /* globalL1CacheSupported */
    {636, 616, 80, 4},   /* localL1CacheSupported */
    {640, 624, 81, 8},   /* sharedMemPerMultiprocessor */
    {648, 632, 82, 4},   /* regsPerMultiprocessor */
    {652, 636, 83, 4},   /* managedMemory */
    {668, -1, 87, 4},    /* singleToDoublePrecisionPerfRatio */
    {676, 656, 89, 4},   /* concurrentManagedAccess */
    {680, 660, 90, 4},   /* computePreemptionSupported */
    {688, 668, 95, 4},   /* cooperativeLaunch */
    {696, 672, 97, 8},   /* sharedMemPerBlockOptin */
    {712, 688, 106, 4},  /* maxBlocksPerMultiProcessor */
    {716, 692, 109, 4},  /* accessPolicyMaxWindowSize */
    {720, 696, 111, 8},  /* reservedSharedMemPerBlock */
    {728, 704, 99, 4},   /* hostRegisterSupported */
    {744, 720, 115, 4},  /* memoryPoolsSupported */
    {772, 748, 120, 4},  /* clusterLaunch */
};
#define UUID_OFFSET 256
#define MEMORY_OFFSET 288
#define PROPERTIES_BYTES (SIM_CUDA == 12 ? 1032 : 1008)
#define PROPERTIES_BYTES_11 704 /* of CUDA 11's struct, which cudaGetDeviceProperties of CUDA 12 still fills: no more than this */

static cudaError_t properties(void *prop, int device, size_t bytes)
{
    if (!prop || device != 0)
        return done(prop ? INVALID_DEVICE : SIM_INVALID_VALUE);
    char *p = prop;
    size_t memory;
    memset(p, 0, bytes);
    strcpy(p, SIM_DEVICE_NAME);
    memcpy(p + UUID_OFFSET, sim_uuid, sizeof sim_uuid);
    sim_memory_info(NULL, &memory);
    memcpy(p + MEMORY_OFFSET, &memory, sizeof memory);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        int offset = SIM_CUDA == 12 ? fields[i].offset_12 : fields[i].offset_13;
        uint64_t value = (uint64_t)sim_attribute(fields[i].attribute);
        if (offset >= 0 && (size_t)offset + (size_t)fields[i].bytes <= bytes)
            memcpy(p + offset, &value, (size_t)fields[i].bytes); /* little-endian: the low bytes */
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    RUNTIME_CALL(cudaGetDeviceProperties);
    return properties(prop, device, SIM_CUDA == 12 ? PROPERTIES_BYTES_11 : PROPERTIES_BYTES);
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
    RUNTIME_CALL(cudaGetDeviceProperties_v2);
    return properties(prop, device, PROPERTIES_BYTES);
}

/* ---- Driver functions for the program. Named by hand: the table may have a line for them or not. */
SIM_EXPORT cudaError_t entry_point(const char *symbol, void **function, unsigned long long flags, int *status)
    __asm__("cudaGetDriverEntryPoint");
SIM_EXPORT cudaError_t entry_point_by_version(const char *symbol, void **function, unsigned int version, unsigned long long flags,
                                             int *status) __asm__("cudaGetDriverEntryPointByVersion");

/* A name that the driver does not have is no error: `status` says 1, and the pointer is NULL. */
static cudaError_t find(const char *symbol, void **function, unsigned int version, unsigned long long flags, int *status)
{
    if (!symbol || !function)
        return done(SIM_INVALID_VALUE);
    driver();
    int found = 0, result = sim_driver_find(symbol, function, (int)version, flags, &found);
    if (status)
        *status = result ? 1 : found;
    if (result)
        *function = NULL;
    return done(status ? SIM_OK : result);
}

cudaError_t entry_point(const char *symbol, void **function, unsigned long long flags, int *status)
{
    RUNTIME_CALL(cudaGetDriverEntryPoint);
    return find(symbol, function, RUNTIME_VERSION, flags, status);
}

cudaError_t entry_point_by_version(const char *symbol, void **function, unsigned int version, unsigned long long flags, int *status)
{
    RUNTIME_CALL(cudaGetDriverEntryPointByVersion);
    return find(symbol, function, version, flags, status);
}
