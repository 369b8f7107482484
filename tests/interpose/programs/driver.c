/* SPDX-License-Identifier: Apache-2.0
 * Opens the libraries by hand, as Triton, CuPy, JAX and cuBLAS do. argv[1] says what to do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int launch_function(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
typedef int ask_function(const char *, void **, int, unsigned long long, int *);
typedef int ask_old_function(const char *, void **, int, unsigned long long);
typedef int alloc_function(unsigned long long *, size_t, int);

static const char *owner(void *f)
{
    Dl_info info;
    const char *slash = f && dladdr(f, &info) ? strrchr(info.dli_fname, '/') : 0;
    return slash ? slash + 1 : "nobody";
}
static void *library(const char *name)
{
    void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!h)
        printf("%s\n", dlerror()), exit(1);
    return h;
}
static void do_dlsym(void)
{
    void *h = library("libcuda.so.1");
    launch_function *launch = (launch_function *)dlsym(h, "cuLaunchKernel"), *again = (launch_function *)dlsym(h, "cuLaunchKernel");
    printf("%s same %d\n", owner((void *)launch), launch == again);
    launch((void *)0x77, 8, 1, 1, 1, 1, 1, 0, (void *)4, 0, 0);
    int (*create)(void **) = (int (*)(void **))dlsym(library("libcublasLt.so.13"), "cublasLtCreate");
    void *handle;
    create(&handle);
}
static void do_ask(void)
{
    void *h = library("libcuda.so.1"), *f = 0;
    int status = 9;
    ask_function *ask = (ask_function *)dlsym(h, "cuGetProcAddress_v2");
    printf("empty name %d\n", ask("", &f, 13000, 0, &status));
    printf("no result wanted %d\n", ask("cuInit", 0, 2000, 0, 0));
    ask("cuGetProcAddress", &f, 11030, 0, 0);
    ask_old_function *old = (ask_old_function *)f;
    ask("cuGetProcAddress", &f, 12000, 0, 0);
    printf("two of them %d\n", (void *)old != f);
    ask = (ask_function *)f;
    old("cuLaunchKernel", &f, 4000, 0);
    ((launch_function *)f)((void *)0x77, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    ask("cuLaunchKernel", &f, 7000, 2, 0);
    ((launch_function *)f)((void *)0x77, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    unsigned long long p;
    ask("cuMemAlloc", &f, 3020, 0, 0);
    printf("3.2: %s\n", owner(f));
    ((alloc_function *)f)(&p, 100, 0);
    ask("cuMemAlloc", &f, 2000, 0, 0);
    printf("2.0: %s\n", owner(f));
    ask("cuMemAlloc", &f, 14000, 0, 0);
    printf("14.0: %s\n", owner(f));
    ((alloc_function *)f)(&p, 200, 6);
    ask("cuLaunchKernel", &f, 14000, 0, 0);
    printf("14.0, still the exported function: %s\n", owner(f));
    ((launch_function *)f)((void *)0x77, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    ask("cuGetExportTable", &f, 3000, 0, 0);
    printf("export table: %s %s\n", owner(f), owner(dlsym(h, "cuGetExportTable")));
}
/* Everything here must be answered as if libovh.so were not there. */
static void do_absent(void)
{
    static const char *const names[] = {"cuInit", "cudaMalloc", "cublasLtMatmul", "cudaNoSuchFunction", "puts"};
    void *handles[] = {RTLD_DEFAULT, dlopen(0, RTLD_NOW), library("libc.so.6")};
    for (unsigned h = 0; h < 3; h++)
        for (unsigned i = 0; i < 5; i++) {
            dlerror();
            void *f = dlsym(handles[h], names[i]);
            printf("%u %s %s error %d\n", h, names[i], owner(f), dlerror() != 0);
        }
    void *h = library("libcuda.so.1");
    printf("%d\n", dlsym(h, "cuLaunchCooperativeKernel") != 0);
    printf("%s\n", dlerror());
    printf("%s\n", owner(dlsym(library("libother.so"), "cudaMalloc")));
}
static void do_clock(void) /* the real runtime: it looks its driver up, then finds that the driver does nothing */
{
    int n = 0;
    int (*count)(int *) = (int (*)(int *))dlsym(library("libcudart.so.13"), "cudaGetDeviceCount");
    printf("status %d\n", count(&n) != 0);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, 0, _IONBF, 0);
    if (!strcmp(argv[1], "dlsym"))
        do_dlsym();
    else if (!strcmp(argv[1], "ask"))
        do_ask();
    else if (!strcmp(argv[1], "absent"))
        do_absent();
    else
        do_clock();
    return 0;
}
