/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: the device and its one context.
 */
#include "sim/cuda/driver.h"
#include <string.h>

char sim_context[64];

/* The context that a thread has made current, and how often it was pushed. */
static __thread int current, pushed;

CUresult cuDeviceGetCount(int *count)
{
    DRIVER_CALL(cuDeviceGetCount);
    if (!count)
        return SIM_INVALID_VALUE;
    *count = 1;
    return SIM_OK;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DRIVER_CALL(cuDeviceGet);
    if (!device || ordinal != 0)
        return !device ? SIM_INVALID_VALUE : 101; /* CUDA_ERROR_INVALID_DEVICE */
    *device = 0;
    return SIM_OK;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    DRIVER_CALL(cuDeviceGetName);
    if (!name || len < 1)
        return SIM_INVALID_VALUE;
    strncpy(name, SIM_DEVICE_NAME, (size_t)len - 1);
    name[len - 1] = '\0';
    return SIM_OK;
}

static CUresult device_uuid(CUuuid *uuid)
{
    if (!uuid)
        return SIM_INVALID_VALUE;
    memcpy(uuid, sim_uuid, sizeof sim_uuid);
    return SIM_OK;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    DRIVER_CALL(cuDeviceGetUuid);
    return device_uuid(uuid);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    DRIVER_CALL(cuDeviceGetUuid_v2);
    return device_uuid(uuid);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    DRIVER_CALL(cuDeviceTotalMem_v2);
    sim_memory_info(NULL, bytes);
    return bytes ? SIM_OK : SIM_INVALID_VALUE;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    DRIVER_CALL(cuDeviceGetAttribute);
    if (!pi)
        return SIM_INVALID_VALUE;
    *pi = sim_attribute((int)attrib);
    return SIM_OK;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    DRIVER_CALL(cuDeviceComputeCapability);
    if (!major || !minor)
        return SIM_INVALID_VALUE;
    *major = sim_attribute(75);
    *minor = sim_attribute(76);
    return SIM_OK;
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    DRIVER_CALL(cuDeviceGetPCIBusId);
    if (!pciBusId || len < (int)sizeof SIM_PCI_BUS_ID)
        return SIM_INVALID_VALUE;
    strcpy(pciBusId, SIM_PCI_BUS_ID);
    return SIM_OK;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    DRIVER_CALL(cuDevicePrimaryCtxRetain);
    if (!pctx)
        return SIM_INVALID_VALUE;
    *pctx = SIM_CONTEXT;
    return SIM_OK;
}

/* Active from the start: torch asks before its first allocation whether it may use the device. */
CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    DRIVER_CALL(cuDevicePrimaryCtxGetState);
    if (flags)
        *flags = 0;
    if (active)
        *active = 1;
    return SIM_OK;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    DRIVER_CALL(cuCtxGetCurrent);
    if (!pctx)
        return SIM_INVALID_VALUE;
    *pctx = current || pushed ? SIM_CONTEXT : NULL;
    return SIM_OK;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    DRIVER_CALL(cuCtxSetCurrent);
    current = ctx != NULL;
    return SIM_OK;
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
    DRIVER_CALL(cuCtxPushCurrent_v2);
    pushed++;
    return SIM_OK;
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx)
{
    DRIVER_CALL(cuCtxPopCurrent_v2);
    if (pctx)
        *pctx = SIM_CONTEXT;
    if (pushed)
        pushed--;
    return SIM_OK;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER_CALL(cuCtxGetDevice);
    if (!device)
        return SIM_INVALID_VALUE;
    *device = 0;
    return SIM_OK;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    DRIVER_CALL(cuCtxGetApiVersion);
    if (!version)
        return SIM_INVALID_VALUE;
    *version = 3020;
    return SIM_OK;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    DRIVER_CALL(cuCtxGetStreamPriorityRange);
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = -5;
    return SIM_OK;
}

CUresult cuCtxSynchronize(void)
{
    DRIVER_CALL(cuCtxSynchronize);
    return sim_device_synchronize();
}
