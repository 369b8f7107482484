/* SPDX-License-Identifier: Apache-2.0
 * Linked to libcudart.so.13, as PyTorch is. argv[1] says what to do. */
#include "../fakes/say.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int cudaGetDevice(int *);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t, void *);
int __cudaLaunchKernel(void *, dim3, dim3, void **, size_t, void *);
int __cudaGetKernel(void **, const void *);
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaStreamDestroy(void *);
int cudaEventRecord(void *, void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamQuery(void *);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
const char *cudaGetErrorString(int);

static const dim3 grid = {2, 3, 4}, block = {5, 6, 7};
static const char stub[8], other_stub[8];

static void launch_on(long stream)
{
    cudaLaunchKernel(stub, grid, block, 0, 11, (void *)stream);
}
static void *thread_launches(void *unused)
{
    launch_on(5);
    return 0;
}
static void late(void)
{
    launch_on(6);
}
static jmp_buf away;
static void jumps(void *unused)
{
    longjmp(away, 1);
}

static void do_register(void)
{
    void **handle = __cudaRegisterFatBinary(0);
    __cudaRegisterFunction(handle, stub, 0, "_Z3addPf", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, other_stub, 0, "_Z5otherv", -1, 0, 0, 0, 0, 0);
}
static void do_many(void)
{
    static char stubs[50000][8], names[50000][16];
    void **handle = __cudaRegisterFatBinary(0);
    for (int i = 0; i < 50000; i++) {
        snprintf(names[i], 16, "kernel%d", i);
        __cudaRegisterFunction(handle, stubs[i], 0, names[i], -1, 0, 0, 0, 0, 0);
    }
    cudaLaunchKernel(stubs[0], grid, block, 0, 0, 0);
    cudaLaunchKernel(stubs[49999], grid, block, 0, 0, 0);
}
static void do_launch(void)
{
    void *kernel = 0;
    do_register();
    launch_on(1);
    __cudaGetKernel(&kernel, other_stub);
    __cudaLaunchKernel(kernel, grid, block, 0, 0, (void *)2);
    cudaLaunchKernel_ptsz(stub, grid, block, 0, 0, 0);
}
static void do_errno(void)
{
    int device;
    errno = 77;
    cudaFree(0);
    printf("errno %d\n", errno);
    cudaGetDevice(&device);
    printf("errno %d device %d\n", errno, device);
    printf("status %d\n", cudaGetDevice(0));
    printf("status %d\n", cudaStreamQuery(0));
    printf("%s\n", cudaGetErrorString(4));
}
static void do_capture(void)
{
    void *graph;
    launch_on(1);
    cudaStreamBeginCapture((void *)1, 0);
    launch_on(1);
    launch_on(3);
    cudaEventRecord((void *)0xe, (void *)1);
    cudaStreamWaitEvent((void *)3, (void *)0xe, 0);
    launch_on(3);
    cudaStreamEndCapture((void *)1, &graph);
    launch_on(1);
    launch_on(3);
    cudaStreamBeginCapture((void *)5, 0);
    launch_on(5);
    cudaStreamDestroy((void *)5);
    launch_on(5);
}
static void do_threads(void)
{
    pthread_t t;
    for (int i = 0; i < 20; i++) {
        pthread_create(&t, 0, thread_launches, 0);
        pthread_join(t, 0);
    }
    atexit(late);
}
static void do_jump(void)
{
    if (!setjmp(away))
        cudaLaunchHostFunc((void *)1, jumps, 0);
    cudaFree(0);
    cudaFree(0);
}
static void do_fork(void)
{
    launch_on(1);
    if (!fork()) {
        launch_on(2);
        exit(0);
    }
    wait(0);
    launch_on(3);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*f)(void); } what[] = {
        {"register", do_register}, {"launch", do_launch}, {"errno", do_errno}, {"capture", do_capture}, {"threads", do_threads},
        {"jump", do_jump}, {"fork", do_fork}, {"many", do_many},
    };
    setvbuf(stdout, 0, _IONBF, 0);
    for (unsigned i = 0; i < sizeof what / sizeof *what; i++)
        if (!strcmp(argv[1], what[i].name))
            return what[i].f(), 0;
    return 2;
}
