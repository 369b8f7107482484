/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of a call's arguments. Each word of hook.h (`does`) has two meanings here, both after the real function returned:
 *
 *   NOTE_x(...)     what must be known later whether or not this call is recorded: names of functions, capturing streams,
 *                   and the wrapping of the driver's answers
 *   CAPTURE_x(...)  the argument record, written between the call's enter and leave
 *
 * They see the call's parameters by name, and of the wrapper: ovh_t and ovh_real (CAPTURE only), ovh_ok (it did not fail),
 * ovh_per_thread (the function is a _ptsz or _ptds twin). CUDA is never called, but to read cublasLt's opaque descriptors
 * (layouts.h). Results behind pointers are read only after success.
 */
#ifndef OVH_CUDA_CAPTURE_H
#define OVH_CUDA_CAPTURE_H

#include "ovh/cuda_types.h"
#include "preload/cuda/kernels.h"
#include "preload/cuda/names.h"
#include "preload/cuda/proc_address.h"
#include "preload/cuda/streams.h"
#include "preload/writer/ladder.h"
#include "preload/writer/record.h"

#define OVH_U64(x) ((uint64_t)(uintptr_t)(x))
#define OVH_RESULT(pointer) (ovh_ok && ovh_there(pointer) ? OVH_U64(*(pointer)) : 0)

/* A function, so that a table line may say `&argument`. */
static inline bool ovh_there(const void *pointer)
{
    return pointer != 0;
}

static inline void ovh_put_launch(struct ovh_thread *t, uint32_t flags, const void *function, uint64_t stream, const uint32_t *grid_block, uint64_t shared)
{
    uint32_t kernel = flags & (OVH_LAUNCH_GRAPH | OVH_LAUNCH_HOST) ? 0 : ovh_kernel_id(function);
    if (ovh_captured(stream))
        flags |= OVH_LAUNCH_CAPTURED;
    if (ovh_unlikely(ovh_unhooked_untold))
        ovh_unhooked_tell();
#ifdef OVH_DRIVER_TABLE
    t->driver_launches++;
#endif
    uint32_t *w = ovh_put(t, 12);
    w[1] = kernel;
    ovh_put_64(w + 2, OVH_U64(function));
    ovh_put_64(w + 4, stream);
    for (int i = 0; i < 6; i++)
        w[6 + i] = grid_block[i];
    w[12] = (uint32_t)shared;
    ovh_put_done(w, OVH_R_LAUNCH, 12, flags);
    ovh_ladder_launch(t, (uint32_t)(OVH_U64(function) >> 4) * 31 + grid_block[0] * 7 + grid_block[1] * 5 + grid_block[2]);
}

static inline void ovh_put_memory(struct ovh_thread *t, enum ovh_memory what, uint64_t bytes, uint64_t pointer, uint64_t stream)
{
    uint32_t *w = ovh_put(t, 6);
    ovh_put_64(w + 1, bytes);
    ovh_put_64(w + 3, pointer);
    ovh_put_64(w + 5, stream);
    ovh_put_done(w, OVH_R_MEMORY, 6, what);
}

static inline void ovh_put_copy(struct ovh_thread *t, uint32_t how, uint64_t bytes, uint64_t stream)
{
    uint32_t *w = ovh_put(t, 4);
    ovh_put_64(w + 1, bytes);
    ovh_put_64(w + 3, stream);
    ovh_put_done(w, OVH_R_COPY, 4, how);
}

static inline void ovh_put_handle(struct ovh_thread *t, enum ovh_handle what, uint64_t handle, uint64_t stream)
{
    uint32_t *w = ovh_put(t, 4);
    ovh_put_64(w + 1, handle);
    ovh_put_64(w + 3, stream);
    ovh_put_done(w, OVH_R_HANDLE, 4, what);
}

static inline void ovh_put_elapsed(struct ovh_thread *t, float milliseconds)
{
    float microseconds = milliseconds * 1000.0f;
    uint32_t *w = ovh_put(t, 1);
    __builtin_memcpy(w + 1, &microseconds, 4);
    ovh_put_done(w, OVH_R_ELAPSED, 1, 0);
}

static inline void ovh_put_status(struct ovh_thread *t, uint32_t status)
{
    uint32_t *w = ovh_put(t, 1);
    w[1] = status;
    ovh_put_done(w, OVH_R_STATUS, 1, 0);
}

static inline void ovh_put_gemm(struct ovh_thread *t, uint64_t m, uint64_t n, uint64_t k, uint32_t batch, uint32_t types)
{
    uint32_t *w = ovh_put(t, 8);
    ovh_put_64(w + 1, m);
    ovh_put_64(w + 3, n);
    ovh_put_64(w + 5, k);
    w[7] = batch;
    w[8] = types;
    ovh_put_done(w, OVH_R_GEMM, 8, batch < 0xffff ? batch : 0xffff);
}
#define OVH_GEMM_TYPES(a, b, c, compute) (((uint32_t)(a) & 255) | ((uint32_t)(b) & 255) << 8 | ((uint32_t)(c) & 255) << 16 | ((uint32_t)(compute) & 255) << 24)

/* The same of a matmul that `real` has done, by its descriptors; nothing where they cannot be read. */
OVH_HIDDEN void ovh_put_gemm_lt(struct ovh_thread *t, const void *real, const void *operation, const void *a, const void *b, const void *c);

/* ---- notes: the words that have none stand first ---- */

#define NOTE_PLAIN
#define NOTE_QUERY
#define NOTE_SET
#define NOTE_LOOKUP
#define NOTE_REGISTER
#define NOTE_HEURISTIC
#define NOTE_LAUNCH(...)
#define NOTE_LAUNCH_XYZ(...)
#define NOTE_LAUNCH_CONFIG(...)
#define NOTE_LAUNCH_DRIVER_CONFIG(...)
#define NOTE_LAUNCH_GRAPH(...)
#define NOTE_LAUNCH_HOST(...)
#define NOTE_LAUNCH_OTHER(...)
#define NOTE_ALLOC(...)
#define NOTE_ALLOC_HOST(...)
#define NOTE_ALLOC_POOL(...)
#define NOTE_ALLOC_MAP(...)
#define NOTE_FREE(...)
#define NOTE_FREE_HOST(...)
#define NOTE_FREE_POOL(...)
#define NOTE_COPY(...)
#define NOTE_COPY_SYNC(...)
#define NOTE_MEMSET(...)
#define NOTE_EVENT_CREATE(...)
#define NOTE_EVENT_QUERY(...)
#define NOTE_EVENT_DESTROY(...)
#define NOTE_EVENT_ELAPSED(...)
#define NOTE_STREAM_CREATE(...)
#define NOTE_STREAM_QUERY(...)
#define NOTE_SYNC(...)
#define NOTE_GRAPH(...)
#define NOTE_MODULE(...)
#define NOTE_GEMM(...)
#define NOTE_GEMM_LT(...)
#define NOTE_EVENT_RECORD(event, stream) \
    if (ovh_unlikely(ovh_captures != 0)) \
        ovh_capture_event(OVH_U64(event), ovh_stream(OVH_U64(stream), ovh_per_thread));
#define NOTE_STREAM_WAIT(stream, event) \
    if (ovh_unlikely(ovh_captures != 0) && ovh_ok) \
        ovh_capture_join(ovh_stream(OVH_U64(stream), ovh_per_thread), OVH_U64(event));
#define NOTE_STREAM_DESTROY(stream) \
    if (ovh_unlikely(ovh_captures != 0) && ovh_ok) \
        ovh_capture_gone(OVH_U64(stream));
#define NOTE_CAPTURE_BEGIN(stream) \
    if (ovh_ok) \
        ovh_capture_begin(ovh_stream(OVH_U64(stream), ovh_per_thread));
#define NOTE_CAPTURE_END(stream) ovh_capture_end(ovh_stream(OVH_U64(stream), ovh_per_thread));
#define NOTE_FUNCTION_NAMED(result, name) \
    if (ovh_ok && ovh_there(result)) \
        ovh_kernel_named((const void *)*(result), name);
#define NOTE_FUNCTION_FROM(result, from) \
    if (ovh_ok && ovh_there(result)) \
        ovh_kernel_same((const void *)*(result), (const void *)(from));
#define NOTE_REGISTER_FUNCTION(stub, name) ovh_kernel_registered((const void *)(stub), name);
#define NOTE_PROC_ADDRESS(symbol, result, version, flags) \
    if (ovh_ok) \
        ovh_proc_address(symbol, (void **)(result), (int)(version), (flags) ? (uint64_t)(flags) : ovh_per_thread ? 2u : 0u);

/* ---- records ---- */

#define CAPTURE_PLAIN
#define CAPTURE_QUERY
#define CAPTURE_SET
#define CAPTURE_LOOKUP
#define CAPTURE_REGISTER
#define CAPTURE_HEURISTIC
#define CAPTURE_PROC_ADDRESS(...)
#define CAPTURE_REGISTER_FUNCTION(...)

#define OVH_NO_GRID ((const uint32_t[6]){0})
#define OVH_STREAM(stream) ovh_stream(OVH_U64(stream), ovh_per_thread)
#define CAPTURE_LAUNCH(function, grid, block, shared, stream) \
    ovh_put_launch(ovh_t, 0, (const void *)(function), OVH_STREAM(stream), \
                   (const uint32_t[6]){(grid).x, (grid).y, (grid).z, (block).x, (block).y, (block).z}, shared);
#define CAPTURE_LAUNCH_XYZ(function, gx, gy, gz, bx, by, bz, shared, stream) \
    ovh_put_launch(ovh_t, 0, (const void *)(function), OVH_STREAM(stream), (const uint32_t[6]){gx, gy, gz, bx, by, bz}, shared);
#define CAPTURE_LAUNCH_CONFIG(function, config) \
    if (config) \
        CAPTURE_LAUNCH(function, (config)->gridDim, (config)->blockDim, (config)->dynamicSmemBytes, (config)->stream)
#define CAPTURE_LAUNCH_DRIVER_CONFIG(function, config) \
    if (config) \
        CAPTURE_LAUNCH_XYZ(function, (config)->gridDimX, (config)->gridDimY, (config)->gridDimZ, (config)->blockDimX, (config)->blockDimY, \
                           (config)->blockDimZ, (config)->sharedMemBytes, (config)->hStream)
#define CAPTURE_LAUNCH_GRAPH(graph, stream) ovh_put_launch(ovh_t, OVH_LAUNCH_GRAPH, (const void *)(graph), OVH_STREAM(stream), OVH_NO_GRID, 0);
#define CAPTURE_LAUNCH_HOST(function, stream) ovh_put_launch(ovh_t, OVH_LAUNCH_HOST, (const void *)(function), OVH_STREAM(stream), OVH_NO_GRID, 0);
#define CAPTURE_LAUNCH_OTHER(function) ovh_put_launch(ovh_t, 0, (const void *)(function), 0, OVH_NO_GRID, 0);

#define CAPTURE_ALLOC(result, bytes, stream) ovh_put_memory(ovh_t, OVH_MEM_ALLOC, bytes, OVH_RESULT(result), OVH_STREAM(stream));
#define CAPTURE_ALLOC_HOST(result, bytes) ovh_put_memory(ovh_t, OVH_MEM_ALLOC_HOST, bytes, OVH_RESULT(result), 0);
#define CAPTURE_ALLOC_POOL(result, bytes, stream) ovh_put_memory(ovh_t, OVH_MEM_ALLOC_POOL, bytes, OVH_RESULT(result), OVH_STREAM(stream));
#define CAPTURE_ALLOC_MAP(bytes) ovh_put_memory(ovh_t, OVH_MEM_MAP, bytes, 0, 0);
#define CAPTURE_FREE(pointer, stream) ovh_put_memory(ovh_t, OVH_MEM_FREE, 0, OVH_U64(pointer), OVH_STREAM(stream));
#define CAPTURE_FREE_HOST(pointer) ovh_put_memory(ovh_t, OVH_MEM_FREE_HOST, 0, OVH_U64(pointer), 0);
#define CAPTURE_FREE_POOL(pointer, stream) ovh_put_memory(ovh_t, OVH_MEM_FREE_POOL, 0, OVH_U64(pointer), OVH_STREAM(stream));
#define CAPTURE_MEMSET(bytes, stream) ovh_put_memory(ovh_t, OVH_MEM_SET, bytes, 0, OVH_STREAM(stream));
#define CAPTURE_COPY(direction, bytes, stream) ovh_put_copy(ovh_t, (uint32_t)(direction) | OVH_COPY_ASYNC, bytes, OVH_STREAM(stream));
#define CAPTURE_COPY_SYNC(direction, bytes) ovh_put_copy(ovh_t, (uint32_t)(direction), bytes, 0);

#define CAPTURE_EVENT_CREATE(result) ovh_put_handle(ovh_t, OVH_H_EVENT_CREATE, OVH_RESULT(result), 0);
#define CAPTURE_EVENT_RECORD(event, stream) ovh_put_handle(ovh_t, OVH_H_EVENT_RECORD, OVH_U64(event), OVH_STREAM(stream));
#define CAPTURE_EVENT_QUERY(event) ovh_put_handle(ovh_t, OVH_H_EVENT_QUERY, OVH_U64(event), 0);
#define CAPTURE_EVENT_DESTROY(event) ovh_put_handle(ovh_t, OVH_H_EVENT_DESTROY, OVH_U64(event), 0);
#define CAPTURE_EVENT_ELAPSED(result) \
    if (ovh_ok && ovh_there(result)) \
        ovh_put_elapsed(ovh_t, *(result));
#define CAPTURE_STREAM_CREATE(result) ovh_put_handle(ovh_t, OVH_H_STREAM_CREATE, OVH_RESULT(result), OVH_RESULT(result));
#define CAPTURE_STREAM_WAIT(stream, event) ovh_put_handle(ovh_t, OVH_H_STREAM_WAIT, OVH_U64(event), OVH_STREAM(stream));
#define CAPTURE_STREAM_QUERY(stream) ovh_put_handle(ovh_t, OVH_H_STREAM_QUERY, OVH_STREAM(stream), OVH_STREAM(stream));
#define CAPTURE_STREAM_DESTROY(stream) ovh_put_handle(ovh_t, OVH_H_STREAM_DESTROY, OVH_U64(stream), OVH_U64(stream));
#define CAPTURE_SYNC(handle) ovh_put_handle(ovh_t, OVH_H_SYNC, OVH_U64(handle), 0);
#define CAPTURE_GRAPH(handle) ovh_put_handle(ovh_t, OVH_H_GRAPH, OVH_U64(handle), 0);
#define CAPTURE_MODULE(handle) ovh_put_handle(ovh_t, OVH_H_MODULE, OVH_U64(handle), 0);
#define CAPTURE_FUNCTION_NAMED(result, name) ovh_put_handle(ovh_t, OVH_H_MODULE, OVH_RESULT(result), 0);
#define CAPTURE_FUNCTION_FROM(result, from) ovh_put_handle(ovh_t, OVH_H_MODULE, OVH_RESULT(result), 0);
#define CAPTURE_CAPTURE_BEGIN(stream) ovh_put_handle(ovh_t, OVH_H_CAPTURE_BEGIN, OVH_STREAM(stream), OVH_STREAM(stream));
#define CAPTURE_CAPTURE_END(stream) ovh_put_handle(ovh_t, OVH_H_CAPTURE_END, OVH_STREAM(stream), OVH_STREAM(stream));

#define CAPTURE_GEMM(m, n, k, batch, a, b, c, compute) \
    ovh_put_gemm(ovh_t, (uint64_t)(m), (uint64_t)(n), (uint64_t)(k), (uint32_t)(batch), OVH_GEMM_TYPES(a, b, c, compute));
#define CAPTURE_GEMM_LT(operation, a, b, c) \
    if (ovh_ok) \
        ovh_put_gemm_lt(ovh_t, (const void *)ovh_real, (const void *)(operation), (const void *)(a), (const void *)(b), (const void *)(c));

#endif
