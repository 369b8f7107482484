/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: modules, libraries, kernels by name. What the image holds is not looked at: every name is found.
 */
#include "sim/cuda/driver.h"

#define MODULE(handle) ((struct sim_module *)(void *)(handle))
#define FUNCTION(handle) ((struct sim_function *)(void *)(handle))

static CUresult load(void **out)
{
    if (!out)
        return SIM_INVALID_VALUE;
    *out = sim_module_make();
    return *out ? SIM_OK : SIM_OUT_OF_MEMORY;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    DRIVER_CALL(cuModuleLoad);
    return load((void **)module);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    DRIVER_CALL(cuModuleLoadData);
    return load((void **)module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    DRIVER_CALL(cuModuleLoadDataEx);
    return load((void **)module);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    DRIVER_CALL(cuModuleLoadFatBinary);
    return load((void **)module);
}

CUresult cuModuleUnload(CUmodule hmod)
{
    DRIVER_CALL(cuModuleUnload);
    sim_module_drop(MODULE(hmod));
    return SIM_OK;
}

static CUresult named(void **out, void *module, const char *name)
{
    if (!out || !name)
        return SIM_INVALID_VALUE;
    if (!module)
        return SIM_INVALID_HANDLE;
    *out = sim_function_get(module, name);
    return *out ? SIM_OK : SIM_OUT_OF_MEMORY;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    DRIVER_CALL(cuModuleGetFunction);
    return named((void **)hfunc, hmod, name);
}

/* How big a variable is stands in the image, which is not read: 64 KiB hold all that constant memory can. */
CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    DRIVER_CALL(cuModuleGetGlobal_v2);
    void *memory = hmod && name ? sim_module_variable(MODULE(hmod), name, 65536) : NULL;
    if (dptr)
        *dptr = (CUdeviceptr)(uintptr_t)memory;
    if (bytes)
        *bytes = memory ? 65536 : 0;
    return memory ? SIM_OK : SIM_INVALID_VALUE;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                           unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                           unsigned int numLibraryOptions)
{
    DRIVER_CALL(cuLibraryLoadData);
    return load((void **)library);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    DRIVER_CALL(cuLibraryUnload);
    sim_module_drop(MODULE(library));
    return SIM_OK;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    DRIVER_CALL(cuLibraryGetKernel);
    return named((void **)pKernel, library, name);
}

/* A library and its module, a kernel and its function are one and the same here. */
CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    DRIVER_CALL(cuLibraryGetModule);
    if (!pMod)
        return SIM_INVALID_VALUE;
    *pMod = (CUmodule)(void *)library;
    return SIM_OK;
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    DRIVER_CALL(cuKernelGetFunction);
    if (!pFunc)
        return SIM_INVALID_VALUE;
    *pFunc = (CUfunction)(void *)kernel;
    return SIM_OK;
}

static CUresult name_of(const char **name, void *function)
{
    if (!name || !function)
        return SIM_INVALID_VALUE;
    *name = sim_function_name(FUNCTION(function));
    return SIM_OK;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
    DRIVER_CALL(cuFuncGetName);
    return name_of(name, hfunc);
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc)
{
    DRIVER_CALL(cuKernelGetName);
    return name_of(name, hfunc);
}

/* Every kernel: 1024 threads, 32 registers, compute capability 9.0. Numbers of CUfunction_attribute. */
static CUresult function_attribute(int *pi, int attribute)
{
    if (!pi)
        return SIM_INVALID_VALUE;
    *pi = attribute == 0 ? 1024 : attribute == 4 ? 32 : attribute == 5 || attribute == 6 ? 90 : attribute == 8 ? 232448 : 0;
    return SIM_OK;
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    DRIVER_CALL(cuFuncGetAttribute);
    return function_attribute(pi, (int)attrib);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    DRIVER_CALL(cuKernelGetAttribute);
    return function_attribute(pi, (int)attrib);
}

#define BLOCKS_PER_MULTIPROCESSOR 2048 /* threads that fit, over those of a block; registers and shared memory are not counted */
static CUresult occupancy(int *numBlocks, int blockSize)
{
    if (!numBlocks || blockSize < 1)
        return SIM_INVALID_VALUE;
    int blocks = BLOCKS_PER_MULTIPROCESSOR / blockSize;
    *numBlocks = blocks > 32 ? 32 : blocks;
    return SIM_OK;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize)
{
    DRIVER_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    return occupancy(numBlocks, blockSize);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize,
                                                             unsigned int flags)
{
    DRIVER_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    return occupancy(numBlocks, blockSize);
}
