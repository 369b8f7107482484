/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: launches.
 */
#include "sim/cuda/driver.h"

static CUresult launch(void *stream, void *function)
{
    return sim_launch(stream, function);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
                        unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void **kernelParams, void **extra)
{
    DRIVER_CALL(cuLaunchKernel);
    return launch(hStream, f);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                                   CUstream hStream, void **kernelParams)
{
    DRIVER_CALL(cuLaunchCooperativeKernel);
    return launch(hStream, f);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
    DRIVER_CALL(cuLaunchKernelEx);
    return config ? launch(config->hStream, f) : SIM_INVALID_VALUE;
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    DRIVER_CALL(cuLaunchHostFunc);
    return sim_launch_host(hStream, fn, userData);
}
