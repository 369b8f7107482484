/* SPDX-License-Identifier: Apache-2.0
 * A libcudart.so.VERSION that finds its driver as the real one does: dlopen, dlsym for cuGetProcAddress_v2, which is asked for itself
 * and replaced by the answer, then the rest. */
#include "say.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static int (*ask)(const char *, void **, int, unsigned long long, int *);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int (*launch_ptsz)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void start(void)
{
    void *driver = ask ? 0 : dlopen("libcuda.so.1", RTLD_NOW), *self = 0;
    if (!driver)
        return;
    *(void **)&ask = dlsym(driver, "cuGetProcAddress_v2");
    ask("cuGetProcAddress", &self, 11030, 0, 0);
    ask("cuGetProcAddress", &self, 12000, 0, 0);
    *(void **)&ask = self;
    ask("cuLaunchKernel", (void **)&launch, 4000, 0, 0);
    ask("cuLaunchKernel", (void **)&launch_ptsz, 7000, 2, 0);
}

int cudaGetDevice(int *device)
{
    SAY("%d cudaGetDevice\n", VERSION);
    errno = 55;
    if (device)
        *device = 3;
    return device ? 0 : 1;
}
int cudaMalloc(void **p, size_t n)
{
    SAY("cudaMalloc %zu\n", n);
    *p = (void *)0x5000;
    return 0;
}
int cudaFree(void *p)
{
    SAY("cudaFree\n");
    return 0;
}
int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
{
    SAY("cudaLaunchKernel %u %u\n", grid.x, block.z);
    start();
    return launch ? launch((void *)f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, arguments, 0) : 0;
}
int cudaLaunchKernel_ptsz(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
{
    SAY("cudaLaunchKernel_ptsz\n");
    start();
    return launch_ptsz ? launch_ptsz((void *)f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, arguments, 0) : 0;
}
int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
int __cudaGetKernel(void **kernel, const void *stub)
{
    *kernel = (char *)stub + 1;
    return 0;
}
void **__cudaRegisterFatBinary(void *image)
{
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **handle) {}
void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name, int n, void *a, void *b, void *c, void *d, int *e) {}
int cudaStreamBeginCapture(void *stream, int mode)
{
    return 0;
}
int cudaStreamEndCapture(void *stream, void **graph)
{
    *graph = (void *)9;
    return 0;
}
int cudaStreamDestroy(void *stream)
{
    return 0;
}
int cudaEventRecord(void *event, void *stream)
{
    return 0;
}
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    return 0;
}
int cudaStreamQuery(void *stream)
{
    return 600;
}
int cudaLaunchHostFunc(void *stream, void (*f)(void *), void *data)
{
    f(data);
    return 0;
}
const char *cudaGetErrorString(int error)
{
    return "some error";
}
#if VERSION < 13
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id)
{
    SAY("12 cudaStreamGetCaptureInfo %p %d\n", stream, status != 0);
    return 0;
}
#else
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph, const void ***nodes, const void **edges, size_t *n)
{
    SAY("13 cudaStreamGetCaptureInfo %p %zu\n", stream, *n);
    return 0;
}
#endif
