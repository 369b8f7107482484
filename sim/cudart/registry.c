/* SPDX-License-Identifier: Apache-2.0
 *
 * libcudart: what nvcc's start-up code registers (images, kernels by host stub, variables), and the way from a stub to a kernel.
 * An image is loaded, and a kernel looked up by name, at the kernel's first use, through the driver.
 */
#include "sim/cudart/runtime.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct image {
    void *data;
    CUlibrary library; /* NULL: not loaded */
    struct kernel *kernels;
    struct variable *variables;
};

struct kernel {
    const void *stub;
    char *name;
    struct image *image;
    CUfunction function; /* NULL: not looked up */
    struct kernel *next;
    UT_hash_handle hh;
};

struct variable {
    const void *symbol;
    size_t bytes;
    void *memory; /* NULL: not used yet */
    struct variable *next;
    UT_hash_handle hh;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct kernel *by_stub;
static struct variable *by_symbol;

void **__cudaRegisterFatBinary(void *fatCubin)
{
    RUNTIME_CALL(__cudaRegisterFatBinary);
    struct image *image = calloc(1, sizeof *image);
    if (image)
        image->data = fatCubin;
    return (void **)image;
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun, const char *deviceName, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize)
{
    RUNTIME_CALL(__cudaRegisterFunction);
    struct image *image = (struct image *)fatCubinHandle;
    struct kernel *kernel = calloc(1, sizeof *kernel), *old;
    if (!image || !kernel || !(kernel->name = strdup(deviceName))) {
        free(kernel);
        return;
    }
    kernel->stub = hostFun;
    kernel->image = image;
    pthread_rwlock_wrlock(&lock);
    HASH_FIND_PTR(by_stub, &kernel->stub, old);
    if (!old) {
        HASH_ADD_PTR(by_stub, stub, kernel);
        kernel->next = image->kernels;
        image->kernels = kernel;
    }
    pthread_rwlock_unlock(&lock);
    if (old) {
        free(kernel->name);
        free(kernel);
    }
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, size_t size,
                       int constant, int global)
{
    RUNTIME_CALL(__cudaRegisterVar);
    struct image *image = (struct image *)fatCubinHandle;
    struct variable *variable = calloc(1, sizeof *variable), *old;
    if (!image || !variable) {
        free(variable);
        return;
    }
    variable->symbol = hostVar;
    variable->bytes = size;
    pthread_rwlock_wrlock(&lock);
    HASH_FIND_PTR(by_symbol, &variable->symbol, old);
    if (!old) {
        HASH_ADD_PTR(by_symbol, symbol, variable);
        variable->next = image->variables;
        image->variables = variable;
    }
    pthread_rwlock_unlock(&lock);
    if (old)
        free(variable);
}

/* At exit and at dlclose: the stubs' addresses may belong to another library afterwards. */
void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
    RUNTIME_CALL(__cudaUnregisterFatBinary);
    struct image *image = (struct image *)fatCubinHandle;
    if (!image)
        return;
    pthread_rwlock_wrlock(&lock);
    for (struct kernel *k = image->kernels, *next; k; k = next) {
        next = k->next;
        HASH_DEL(by_stub, k);
        free(k->name);
        free(k);
    }
    for (struct variable *v = image->variables, *next; v; v = next) {
        next = v->next;
        HASH_DEL(by_symbol, v);
        sim_memory_free(v->memory);
        free(v);
    }
    pthread_rwlock_unlock(&lock);
    free(image);
}

/* Under the write lock: two threads may come with one kernel. */
static CUfunction look_up(struct kernel *kernel)
{
    const struct runtime_driver *d = driver();
    CUkernel handle;
    CUfunction function;
    pthread_rwlock_wrlock(&lock);
    if (!kernel->image->library && d->cuLibraryLoadData(&kernel->image->library, kernel->image->data, NULL, NULL, 0, NULL, NULL, 0))
        kernel->image->library = NULL;
    if (!kernel->function && kernel->image->library && !d->cuLibraryGetKernel(&handle, kernel->image->library, kernel->name) &&
        !d->cuKernelGetFunction(&function, handle))
        kernel->function = function;
    function = kernel->function;
    pthread_rwlock_unlock(&lock);
    return function;
}

CUfunction function_of(const void *stub)
{
    struct kernel *kernel;
    pthread_rwlock_rdlock(&lock);
    HASH_FIND_PTR(by_stub, &stub, kernel);
    CUfunction function = kernel ? kernel->function : NULL;
    pthread_rwlock_unlock(&lock);
    if (function)
        return function;
    return kernel ? look_up(kernel) : (CUfunction)sim_function_checked(stub);
}

void *variable_of(const void *symbol, size_t *bytes)
{
    struct variable *variable;
    pthread_rwlock_wrlock(&lock);
    HASH_FIND_PTR(by_symbol, &symbol, variable);
    if (variable && !variable->memory && sim_memory_alloc(&variable->memory, variable->bytes, SIM_MEMORY_DEVICE))
        variable->memory = NULL;
    void *memory = variable ? variable->memory : NULL;
    if (variable && bytes)
        *bytes = variable->bytes;
    pthread_rwlock_unlock(&lock);
    return memory;
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    RUNTIME_CALL(cudaGetSymbolAddress);
    if (!devPtr)
        return done(SIM_INVALID_VALUE);
    *devPtr = variable_of(symbol, NULL);
    return done(*devPtr ? SIM_OK : INVALID_SYMBOL);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    RUNTIME_CALL(cudaGetSymbolSize);
    return done(!size ? SIM_INVALID_VALUE : variable_of(symbol, size) ? SIM_OK : INVALID_SYMBOL);
}

static cudaError_t kernel_of(void **out, const void *stub)
{
    if (!out)
        return done(SIM_INVALID_VALUE);
    *out = function_of(stub);
    return done(*out ? SIM_OK : INVALID_DEVICE_FUNCTION);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    RUNTIME_CALL(__cudaGetKernel);
    return kernel_of((void **)kernelPtr, entryFuncAddr);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    RUNTIME_CALL(cudaGetKernel);
    return kernel_of((void **)kernelPtr, entryFuncAddr);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    RUNTIME_CALL(cudaGetFuncBySymbol);
    return kernel_of((void **)functionPtr, symbolPtr);
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    RUNTIME_CALL(cudaFuncGetName);
    CUfunction function = function_of(func);
    return done(function ? (int)driver()->cuFuncGetName(name, function) : INVALID_DEVICE_FUNCTION);
}

/* Offsets in struct cudaFuncAttributes, the same in CUDA 12 and 13: 1024 threads, 32 registers, sm_90. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    RUNTIME_CALL(cudaFuncGetAttributes);
    if (!attr)
        return done(SIM_INVALID_VALUE);
    struct {
        size_t shared, constant, local;
        int threads, registers, ptx, binary;
    } head = {.threads = 1024, .registers = 32, .ptx = 90, .binary = 90};
    memset(attr, 0, 144);
    memcpy(attr, &head, sizeof head);
    return done(function_of(func) ? SIM_OK : INVALID_DEVICE_FUNCTION);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize)
{
    RUNTIME_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
    return done(driver()->cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, function_of(func), blockSize, dynamicSMemSize));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                  size_t dynamicSMemSize, unsigned int flags)
{
    RUNTIME_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    return done(driver()->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, function_of(func), blockSize, dynamicSMemSize,
                                                                               flags));
}
