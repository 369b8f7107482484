/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables expand with nothing but hook.h, hooks.h and cuda_types.h, on every architecture and compiler: a definition of each
 * function with a default body, its name, its kind, and the arguments that `does` names. Compiled by tests/tables/test_tables.py;
 * run, it prints how many hooks there are and checks that numbers, names and kinds come in one order.
 */
#include <stdio.h>
#include <string.h>

#include "ovh/cuda_types.h"
#include "ovh/hooks.h"

#define NEWER(since, ret, name, twin, does, ...) HOOK(ret, name, twin, does, __VA_ARGS__)
#define OLDER(until, ret, name, twin, does, ...) HOOK(ret, name##_until_##until, twin, does, __VA_ARGS__)
#define DRIVER(ret, symbol, base, since, twin, does, ...) HOOK(ret, symbol, twin, does, __VA_ARGS__)

/* What a word of `does` names must exist: sizeof evaluates nothing. */
#define USES(does) OVH_PASTE(USE_, does)
#define USE_ARGUMENTS(...) (void)sizeof((__VA_ARGS__))
#define USE_PLAIN (void)0
#define USE_QUERY (void)0
#define USE_SET (void)0
#define USE_LOOKUP (void)0
#define USE_REGISTER (void)0
#define USE_HEURISTIC (void)0
#define USE_PROC_ADDRESS USE_ARGUMENTS
#define USE_LAUNCH(function, grid, block, shared, stream) USE_ARGUMENTS(function, (grid).x, (block).x, (size_t)(shared), stream)
#define USE_LAUNCH_XYZ(function, gx, gy, gz, bx, by, bz, shared, stream) \
    USE_ARGUMENTS(function, gx + gy + gz, bx + by + bz, shared, stream)
#define USE_LAUNCH_CONFIG(function, config) \
    USE_ARGUMENTS(function, (config)->gridDim.x, (config)->dynamicSmemBytes, (config)->stream)
#define USE_LAUNCH_DRIVER_CONFIG(function, config) \
    USE_ARGUMENTS(function, (config)->gridDimX, (config)->sharedMemBytes, (config)->hStream)
#define USE_LAUNCH_GRAPH(exec, stream) USE_ARGUMENTS(exec, stream)
#define USE_LAUNCH_HOST(function, stream) USE_ARGUMENTS(function, stream)
#define USE_LAUNCH_OTHER(function) USE_ARGUMENTS(function)
#define USE_ALLOC(result, bytes, stream) USE_ARGUMENTS(*(result), (size_t)(bytes), stream)
#define USE_ALLOC_HOST(result, bytes) USE_ARGUMENTS(*(result), (size_t)(bytes))
#define USE_ALLOC_POOL(result, bytes, stream) USE_ARGUMENTS(*(result), (size_t)(bytes), stream)
#define USE_ALLOC_MAP(bytes) USE_ARGUMENTS((size_t)(bytes))
#define USE_FREE(pointer, stream) USE_ARGUMENTS(pointer, stream)
#define USE_FREE_HOST(pointer) USE_ARGUMENTS(pointer)
#define USE_FREE_POOL(pointer, stream) USE_ARGUMENTS(pointer, stream)
#define USE_COPY(direction, bytes, stream) USE_ARGUMENTS((int)(direction), (size_t)(bytes), stream)
#define USE_COPY_SYNC(direction, bytes) USE_ARGUMENTS((int)(direction), (size_t)(bytes))
#define USE_MEMSET(bytes, stream) USE_ARGUMENTS((size_t)(bytes), stream)
#define USE_EVENT_CREATE(result) USE_ARGUMENTS(*(result))
#define USE_EVENT_RECORD(event, stream) USE_ARGUMENTS(event, stream)
#define USE_EVENT_QUERY(event) USE_ARGUMENTS(event)
#define USE_EVENT_DESTROY(event) USE_ARGUMENTS(event)
#define USE_EVENT_ELAPSED(ms) USE_ARGUMENTS(*(ms) * 1.0f)
#define USE_STREAM_CREATE(result) USE_ARGUMENTS(*(result))
#define USE_STREAM_WAIT(stream, event) USE_ARGUMENTS(stream, event)
#define USE_STREAM_QUERY(stream) USE_ARGUMENTS(stream)
#define USE_STREAM_DESTROY(stream) USE_ARGUMENTS(stream)
#define USE_SYNC(handle) USE_ARGUMENTS(handle)
#define USE_GRAPH(handle) USE_ARGUMENTS(handle)
#define USE_CAPTURE_BEGIN(stream) USE_ARGUMENTS(stream)
#define USE_CAPTURE_END(stream) USE_ARGUMENTS(stream)
#define USE_MODULE(handle) USE_ARGUMENTS(handle)
#define USE_FUNCTION_NAMED(result, name) USE_ARGUMENTS(*(result), (name)[0])
#define USE_FUNCTION_FROM(result, handle) USE_ARGUMENTS(*(result), handle)
#define USE_REGISTER_FUNCTION(stub, name) USE_ARGUMENTS(stub, (name)[0])
#define USE_GEMM(m, n, k, batch, a, b, c, compute) USE_ARGUMENTS(m + n + k, batch, (int)(a), (int)(b), (int)(c), (int)(compute))
#define USE_GEMM_LT(operation, a, b, c) USE_ARGUMENTS(operation, a == b && b == c)

#define VOID_HOOK(name, twin, does, ...)                                                                                        \
    void name(OVH_PARAMS(__VA_ARGS__));                                                                                         \
    void name(OVH_PARAMS(__VA_ARGS__))                                                                                          \
    {                                                                                                                           \
        USES(does);                                                                                                             \
    }
#define HOOK(ret, name, twin, does, ...)                                                                                        \
    ret name(OVH_PARAMS(__VA_ARGS__));                                                                                          \
    ret name(OVH_PARAMS(__VA_ARGS__))                                                                                           \
    {                                                                                                                           \
        USES(does);                                                                                                             \
        return (ret)0;                                                                                                          \
    }
#include "ovh/hooks/all.def"
#undef HOOK
#undef VOID_HOOK

#define VOID_HOOK(...) HOOK(void, __VA_ARGS__)
#define TWIN_NONE(name, does)
#define TWIN_PTSZ(name, does) [OVH_HOOK_##name##_ptsz] = {#name "_ptsz", OVH_KIND_OF(does)},
#define TWIN_PTDS(name, does) [OVH_HOOK_##name##_ptds] = {#name "_ptds", OVH_KIND_OF(does)},
#define HOOK(ret, name, twin, does, ...) [OVH_HOOK_##name] = {#name, OVH_KIND_OF(does)}, TWIN_##twin(name, does)
static const struct {
    const char *name;
    enum ovh_kind kind;
} hooks[OVH_HOOKS] = {
#include "ovh/hooks/all.def"
};

int main(void)
{
    for (int i = 0; i < OVH_HOOKS; i++)
        if (!hooks[i].name || hooks[i].kind >= OVH_KINDS)
            return 1;
    if (hooks[OVH_HOOK_cudaMalloc].kind != OVH_KIND_ALLOC)
        return 2;
    if (strcmp(hooks[OVH_HOOK_cuLaunchKernel_ptsz].name, "cuLaunchKernel_ptsz"))
        return 3;
    printf("%d hooks\n", OVH_HOOKS);
    return 0;
}
