/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule of the simulated device, through the runtime's names, on the fake clock: to the nanosecond. Built against both CUDA
 * versions' libcudart.
 */
#include "sim/cudart/runtime.h"
#include "tests/sim/tap.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char work_stub, other_stub, variable_stub; /* host stubs: addresses are all that counts */
static void **image;
static const dim3 one = {1, 1, 1};

static cudaError_t launch(const void *stub, cudaStream_t stream)
{
    return cudaLaunchKernel(stub, one, one, NULL, 0, stream);
}

static uint64_t now(void)
{
    return ovh_sim_ticks();
}

static struct ovh_sim_counts counts(void)
{
    struct ovh_sim_counts c;
    ovh_sim_get_counts(&c);
    return c;
}

/* Everything before is done, and every cost is 0. */
static uint64_t fresh(void)
{
    ovh_sim_set_call_cost("*", 0);
    cudaDeviceSynchronize();
    return now();
}

static void test_marker(void)
{
    is(now(), 1000000000, "the fake clock starts at one second");
    is(ovh_sim_clock_is_fake(), 1, "and says that it is fake");
    ovh_sim_advance(17);
    is(now(), 1000000017, "it is advanced by hand");
    const char *marker = dlsym(RTLD_DEFAULT, "ovh_sim_device");
    is(marker && !strncmp(marker, "ovh simulated device ", 21), 1, "the marker is found by dlsym");
    char properties[2048] = "";
    is(cudaGetDeviceProperties_v2((struct cudaDeviceProp *)(void *)properties, 0), 0, "properties are there");
    is(strstr(properties, "simulated") != NULL, 1, "the device's name says simulated");
}

static void test_host_bound(void)
{
    uint64_t start = fresh();
    ovh_sim_set_call_cost("cudaLaunchKernel", 4000);
    ovh_sim_set_call_cost("cuLaunchKernel", 1000);
    for (int i = 0; i < 10; i++)
        launch(&work_stub, NULL);
    is(now() - start, 10 * 5000, "host-bound: ten launches cost the host ten times runtime plus driver");
    cudaDeviceSynchronize();
    is(now() - start, 10 * 5000 + 3000, "the synchronise waits for the last kernel alone");
    struct ovh_sim_counts before = counts();
    cudaDeviceSynchronize();
    is(counts().waits - before.waits, 0, "a synchronise of an idle device does not wait");
}

static void test_classes(void)
{
    uint64_t start = fresh();
    ovh_sim_set_call_cost("@driver", 70);
    ovh_sim_set_call_cost("@cudart", 30);
    launch(&work_stub, NULL);
    is(now() - start, 100, "costs by class: one runtime and one driver call");
    ovh_sim_set_call_cost("cudaLaunchKern?l", 5);
    launch(&work_stub, NULL);
    is(now() - start, 100 + 75, "the last pattern that fits counts");
}

static void test_back_pressure(void)
{
    uint64_t start = fresh();
    struct ovh_sim_counts before = counts();
    ovh_sim_set_queue_depth(4);
    for (int i = 0; i < 4; i++)
        launch(&work_stub, NULL);
    is(now() - start, 0, "back-pressure: as many launches as the queue holds go through");
    launch(&work_stub, NULL);
    is(now() - start, 3000, "the next one blocks until the first kernel is done");
    launch(&work_stub, NULL);
    is(now() - start, 6000, "and the next until the second");
    is(counts().blocked - before.blocked, 2, "both are counted as blocked");
    is(counts().blocked_ns - before.blocked_ns, 6000, "with their time");
    is(counts().launches - before.launches, 6, "launches are counted");
    cudaDeviceSynchronize();
    is(now() - start, 6 * 3000, "six kernels ran one after another");
    ovh_sim_set_queue_depth(1024);
}

static void test_default_depth(void)
{
    uint64_t start = fresh();
    for (int i = 0; i < 1024; i++)
        launch(&work_stub, NULL);
    is(now() - start, 0, "1024 launches fit by default");
    launch(&work_stub, NULL);
    is(now() - start, 3000, "the 1025th blocks");
    cudaDeviceSynchronize();
}

static void test_streams(void)
{
    cudaStream_t a, b, blocking;
    uint64_t start = fresh();
    is(cudaStreamCreateWithPriority(&a, 1, -1) | cudaStreamCreateWithFlags(&b, 1) | cudaStreamCreate(&blocking), 0, "streams are made");
    int priority = 7;
    is(cudaStreamGetPriority(a, &priority) | (priority + 1), 0, "a stream keeps its priority");
    launch(&work_stub, a);
    launch(&other_stub, b);
    is(cudaStreamQuery(a), 600, "a busy stream is not ready");
    is(cudaGetLastError(), 600, "which is the thread's last error");
    is(cudaGetLastError(), 0, "once");
    cudaStreamSynchronize(a);
    is(now() - start, 3000, "non-blocking streams run side by side: a is done after its own kernel");
    cudaStreamSynchronize(b);
    is(now() - start, 5000, "and b after its own");
    launch(&work_stub, blocking);
    launch(&work_stub, NULL);
    cudaStreamSynchronize(NULL);
    is(now() - start, 5000 + 6000, "the default stream waits for blocking streams");
    launch(&work_stub, NULL);
    launch(&work_stub, blocking);
    cudaStreamSynchronize(blocking);
    is(now() - start, 11000 + 6000, "and they for it");
    launch(&work_stub, NULL);
    launch(&other_stub, a);
    cudaStreamSynchronize(a);
    is(now() - start, 17000 + 5000, "a non-blocking stream does not");
    is(cudaStreamDestroy(b), 0, "a stream is destroyed");
    is(launch(&work_stub, b), 400, "and its handle is refused afterwards");
    cudaLaunchKernel_ptsz(&work_stub, one, one, NULL, 0, NULL);
    is(cudaStreamQuery((cudaStream_t)2), 600, "the _ptsz twin launches into the thread's own stream");
    cudaGetLastError();
    cudaStreamDestroy(a);
    cudaStreamDestroy(blocking);
}

static void test_events(void)
{
    cudaEvent_t begin, end, untimed;
    cudaStream_t side;
    float ms = -1;
    uint64_t start = fresh();
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventCreateWithFlags(&untimed, 2);
    cudaStreamCreateWithFlags(&side, 1);
    is(cudaEventElapsedTime(&ms, begin, end), 400, "no time between events that were not recorded");
    is(cudaEventQuery(begin), 0, "an event that was not recorded counts as done");
    cudaEventRecord(begin, NULL);
    launch(&work_stub, NULL);
    launch(&other_stub, NULL);
    cudaEventRecord(end, NULL);
    is(cudaEventQuery(end), 600, "an event is not ready before its time");
    is(cudaEventElapsedTime(&ms, begin, end), 600, "nor is a time that ends at it");
    cudaEventSynchronize(end);
    is(now() - start, 8000, "its synchronise waits for just that");
    is(cudaEventElapsedTime(&ms, begin, end) | (int)(ms * 1e6f + 0.5f), 8000, "elapsed: the two kernels' time");
    cudaEventRecord(untimed, NULL);
    is(cudaEventElapsedTime(&ms, begin, untimed), 400, "an event without timing gives none");
    launch(&work_stub, NULL);
    cudaEventRecord(end, NULL);
    cudaStreamWaitEvent(side, end, 0);
    launch(&other_stub, side);
    cudaStreamSynchronize(side);
    is(now() - start, 8000 + 3000 + 5000, "a stream that waits for an event begins after it");
    is(cudaEventDestroy(begin) | cudaEventDestroy(end) | cudaEventDestroy(untimed), 0, "events are destroyed");
    cudaStreamDestroy(side);
    cudaGetLastError();
}

static void test_memory(void)
{
    char *device, *pinned, pageable[4096], back[16] = "";
    size_t free_before, total, free_after;
    uint64_t start = fresh();
    cudaMemGetInfo(&free_before, &total);
    is(cudaMalloc((void **)&device, 1 << 20) | cudaMallocHost((void **)&pinned, 1 << 20), 0, "memory is given");
    cudaMemGetInfo(&free_after, &total);
    is(free_before - free_after, 1 << 20, "device memory is accounted for");
    is(cudaMalloc((void **)&back, total + 1), 2, "more than there is is refused");
    memset(back, 0, sizeof back);
    memcpy(pinned, "hello", 6);
    is(cudaMemcpyAsync(device, pinned, 1000000, cudaMemcpyHostToDevice, NULL), 0, "a copy from pinned memory");
    is(now() - start, 0, "does not block the host");
    cudaStreamSynchronize(NULL);
    is(now() - start, 40000, "and takes its bytes over the bandwidth: 10^6 at 25 per ns");
    cudaMemcpy(back, device, 6, cudaMemcpyDeviceToHost);
    is(strcmp(back, "hello"), 0, "what was copied comes back");
    start = fresh();
    memset(pageable, 7, sizeof pageable);
    cudaMemcpyAsync(device, pageable, 2500, cudaMemcpyHostToDevice, NULL);
    is(now() - start, 100, "an asynchronous copy from pageable memory blocks all the same");
    cudaMemset(device, 0x5a, 1000);
    is(device[0] == 0x5a && device[999] == 0x5a && device[1000] == 7, 1, "a fill sets its bytes and no others");
    start = fresh();
    launch(&work_stub, NULL);
    is(cudaFree(device), 0, "memory is taken back");
    is(now() - start, 3000, "after the device is idle");
    cudaMemGetInfo(&free_after, &total);
    is(free_before - free_after, 0, "and accounted for again");
    is(cudaFree(pageable), 1, "memory that is not ours is refused");
    is(cudaFree(NULL) | cudaFreeHost(pinned), 0, "NULL is no memory and no error");
    cudaGetLastError();
}

static void test_symbols(void)
{
    int value = 42, back = 0;
    void *address;
    fresh();
    is(cudaMemcpyToSymbol(&variable_stub, &value, sizeof value, 0, cudaMemcpyHostToDevice), 0, "a registered variable is written");
    is(cudaMemcpyFromSymbol(&back, &variable_stub, sizeof back, 0, cudaMemcpyDeviceToHost) | (back - 42), 0, "and read");
    is(cudaGetSymbolAddress(&address, &variable_stub) | (*(int *)address - 42), 0, "and has an address");
    is(cudaMemcpyToSymbol(&variable_stub, &value, sizeof value, 14, cudaMemcpyHostToDevice), 1, "nothing is written beyond its end");
    is(cudaMemcpyToSymbol(&value, &value, sizeof value, 0, cudaMemcpyHostToDevice), 13, "another address is no variable");
    is(launch(&value, NULL), 98, "nor a kernel");
    const char *name = "";
    cudaFuncGetName(&name, &work_stub);
    is(strcmp(name, "work"), 0, "a kernel has the name that was registered");
    cudaGetLastError();
}

static void test_capture(void)
{
    cudaStream_t stream, side;
    cudaEvent_t fork_, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    size_t nodes = 0;
    uint64_t start = fresh();
    cudaStreamCreateWithFlags(&stream, 1);
    cudaStreamCreateWithFlags(&side, 1);
    cudaEventCreate(&fork_);
    cudaEventCreate(&join);
    struct ovh_sim_counts before = counts();
    is(cudaStreamBeginCapture(NULL, 0), 900, "the default stream cannot be captured");
    is(cudaStreamBeginCapture(stream, 0), 0, "another can");
    is(cudaStreamIsCapturing(stream, &status) | (status - 1), 0, "and says so");
    is(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, NULL, NULL) | (id == 0), 0, "with an id");
    launch(&work_stub, stream);
    cudaEventRecord(fork_, stream);
    cudaStreamWaitEvent(side, fork_, 0);
    is(cudaStreamIsCapturing(side, &status) | (status - 1), 0, "a stream that waits for it joins the capture");
    launch(&other_stub, side);
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(stream, join, 0);
    is(cudaStreamSynchronize(stream), 900, "a capturing stream cannot be synchronised");
    is(cudaEventQuery(fork_), 907, "nor an event in it queried");
    is(cudaStreamEndCapture(side, &graph), 903, "only the stream that began the capture ends it");
    is(cudaStreamEndCapture(stream, &graph), 0, "the capture ends");
    is(cudaStreamIsCapturing(side, &status) | status, 0, "for every stream in it");
    is(cudaGraphGetNodes(graph, NULL, &nodes) | (int)(nodes - 2), 0, "the graph has both launches");
    cudaStreamSynchronize(stream);
    is(now() - start, 0, "nothing has run");
    is(counts().launches - before.launches, 0, "nor been counted as launched");
    is(counts().captured - before.captured, 2, "but as captured");
    is(cudaGraphInstantiateWithFlags(&exec, graph, 0) | cudaGraphDestroy(graph), 0, "it is instantiated");
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    is(counts().launches - before.launches, 2, "a graph is one launch");
    is(counts().graph_nodes - before.graph_nodes, 4, "of its nodes");
    cudaStreamSynchronize(stream);
    is(now() - start, 2 * (3000 + 5000), "and takes their time");
    is(cudaGraphExecDestroy(exec), 0, "it is destroyed");
    cudaStreamDestroy(stream);
    cudaStreamDestroy(side);
    cudaGetLastError();
}

static int called;
static void host_function(void *data)
{
    called += *(int *)data;
}

static void test_host_functions(void)
{
    int amount = 3;
    fresh();
    is(cudaLaunchHostFunc(NULL, host_function, &amount) | (called - 3), 0, "a host function is called");
    is(cudaLaunchHostFunc(NULL, NULL, NULL), 1, "and must be one");
    cudaGetLastError();
}

static void test_driver(void)
{
    void *function = NULL;
    int status = 9;
    fresh();
    cudaError_t (*entry)(const char *, void **, unsigned, unsigned long long, int *);
    *(void **)&entry = dlsym(RTLD_DEFAULT, "cudaGetDriverEntryPointByVersion");
    is(entry("cuMemAlloc", &function, 12000, 0, &status) | status, 0, "a driver function is found by name and version");
    is(function == dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"), 1, "in its newest form of that version");
    entry("cuNoSuchThing", &function, 12000, 0, &status);
    is(function == NULL && status == 1, 1, "one that does not exist is not");
    CUresult (*table)(const void **, const void *);
    *(void **)&table = dlsym(RTLD_DEFAULT, "cuGetExportTable");
    const void *export = &status;
    is(table(&export, NULL) == 0 || export, 0, "there are no export tables");
}

int main(void)
{
    setenv("OVH_SIM_CLOCK", "fake", 1);
    test_marker();
    ovh_sim_set_kernel_time("work", 3000);
    ovh_sim_set_kernel_time("other", 5000);
    image = __cudaRegisterFatBinary(&work_stub);
    __cudaRegisterFunction(image, &work_stub, NULL, "work", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(image, &other_stub, NULL, "other", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(image, &variable_stub, NULL, "variable", 0, 16, 0, 0);
    test_host_bound();
    test_classes();
    test_back_pressure();
    test_default_depth();
    test_streams();
    test_events();
    test_memory();
    test_symbols();
    test_capture();
    test_host_functions();
    test_driver();
    __cudaUnregisterFatBinary(image);
    is(launch(&work_stub, NULL), 98, "a kernel is gone with its image");
    return ends();
}
