/* SPDX-License-Identifier: Apache-2.0
 * A libcuda.so.1 that does nothing, asked by name or by (name, version, flags). */
#include "say.h"
#include <string.h>

int cuInit(unsigned flags)
{
    SAY("cuInit\n");
    return 0;
}
int cuGetExportTable(const void **table, const void *id)
{
    return 500;
}
int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
static int launch(const char *name, void *f, unsigned gx, void *stream)
{
    SAY("%s %p %u %p\n", name, f, gx, stream);
    return 0;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **p, void **e)
{
    return launch("cuLaunchKernel", f, gx, stream);
}
int cuLaunchKernel_ptsz(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **p,
                        void **e)
{
    return launch("cuLaunchKernel_ptsz", f, gx, stream);
}
struct config { unsigned gx, gy, gz, bx, by, bz, shared; void *stream, *attributes; unsigned n; };
int cuLaunchKernelEx(const struct config *c, void *f, void **p, void **e)
{
    return launch("cuLaunchKernelEx", f, c->gx, c->stream);
}
int cuMemAlloc(unsigned *p, unsigned n) /* the prototype of CUDA 2 */
{
    SAY("cuMemAlloc %u\n", n);
    *p = 16;
    return 0;
}
int cuMemAlloc_v2(unsigned long long *p, size_t n)
{
    SAY("cuMemAlloc_v2 %zu\n", n);
    *p = 0x10000;
    return 0;
}
static int mem_alloc_of_the_future(unsigned long long *p, size_t n, int where)
{
    SAY("cuMemAlloc of 14.0: %zu %d\n", n, where);
    *p = 0x20000;
    return 0;
}
int cuModuleGetFunction(void **f, void *module, const char *name)
{
    *f = (void *)0x77;
    return 0;
}

int cuGetProcAddress(const char *symbol, void **f, int version, unsigned long long flags);
int cuGetProcAddress_v2(const char *symbol, void **f, int version, unsigned long long flags, int *status);

static void *find(const char *s, int version, unsigned long long flags)
{
    if (!strcmp(s, "cuGetProcAddress"))
        return version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress;
    if (!strcmp(s, "cuLaunchKernel"))
        return version >= 7000 && flags & 2 ? (void *)cuLaunchKernel_ptsz : (void *)cuLaunchKernel;
    if (!strcmp(s, "cuMemAlloc"))
        return version >= 14000 ? (void *)mem_alloc_of_the_future : version >= 3020 ? (void *)cuMemAlloc_v2 : (void *)cuMemAlloc;
    return !strcmp(s, "cuInit") ? (void *)cuInit : !strcmp(s, "cuLaunchKernelEx") ? (void *)cuLaunchKernelEx
         : !strcmp(s, "cuGetExportTable") ? (void *)cuGetExportTable : 0;
}
int cuGetProcAddress(const char *symbol, void **f, int version, unsigned long long flags)
{
    void *found = find(symbol, version, flags);
    if (f)
        *f = found;
    return found ? 0 : 500;
}
int cuGetProcAddress_v2(const char *symbol, void **f, int version, unsigned long long flags, int *status)
{
    if (status)
        *status = 0;
    return cuGetProcAddress(symbol, f, version, flags);
}
