/* SPDX-License-Identifier: Apache-2.0
 *
 * libcudart: launches.
 */
#include "sim/cudart/runtime.h"
#include <stdlib.h>

/* What `<<<>>>` pushes and the stub pops. Launches do not nest. */
static __thread struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed;

unsigned int __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, struct CUstream_st *stream)
{
    RUNTIME_CALL(__cudaPushCallConfiguration);
    pushed.grid = gridDim;
    pushed.block = blockDim;
    pushed.shared = sharedMem;
    pushed.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream)
{
    RUNTIME_CALL(__cudaPopCallConfiguration);
    *gridDim = pushed.grid;
    *blockDim = pushed.block;
    *sharedMem = pushed.shared;
    *(cudaStream_t *)stream = pushed.stream;
    return cudaSuccess;
}

static cudaError_t launch(CUfunction function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    if (!function)
        return done(INVALID_DEVICE_FUNCTION);
    return done(driver()->cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, args, NULL));
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream)
{
    RUNTIME_CALL(cudaLaunchKernel);
    return launch(function_of(func), gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream)
{
    RUNTIME_CALL(__cudaLaunchKernel);
    return launch((CUfunction)(void *)kernel, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    RUNTIME_CALL(cudaLaunchKernelExC);
    CUfunction function = function_of(func);
    if (!config || !function)
        return done(config ? INVALID_DEVICE_FUNCTION : SIM_INVALID_VALUE);
    CUlaunchConfig c = {config->gridDim.x, config->gridDim.y, config->gridDim.z, config->blockDim.x, config->blockDim.y,
                        config->blockDim.z, (unsigned)config->dynamicSmemBytes, config->stream, config->attrs, config->numAttrs};
    return done(driver()->cuLaunchKernelEx(&c, function, args, NULL));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream)
{
    RUNTIME_CALL(cudaLaunchCooperativeKernel);
    CUfunction function = function_of(func);
    if (!function)
        return done(INVALID_DEVICE_FUNCTION);
    return done(driver()->cuLaunchCooperativeKernel(function, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z,
                                                    (unsigned)sharedMem, stream, args));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    RUNTIME_CALL(cudaLaunchHostFunc);
    return done(driver()->cuLaunchHostFunc(stream, fn, userData));
}

/* A callback is a host function that is also told stream and status. */
struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *data;
};

static void call_back(void *data)
{
    struct callback *callback = data;
    callback->function(callback->stream, cudaSuccess, callback->data);
    free(callback);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags)
{
    RUNTIME_CALL(cudaStreamAddCallback);
    struct callback *c = callback ? malloc(sizeof *c) : NULL;
    if (!c)
        return done(callback ? SIM_OUT_OF_MEMORY : SIM_INVALID_VALUE);
    *c = (struct callback){callback, stream, userData};
    int status = driver()->cuLaunchHostFunc(stream, call_back, c);
    if (status)
        free(c);
    return done(status);
}
