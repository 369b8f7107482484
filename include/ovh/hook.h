/* SPDX-License-Identifier: Apache-2.0
 *
 * How a line of a hook table reads. The tables are those of include/ovh/hooks/all.def; each line is one
 * hooked function, with its real prototype, and from the line come: the wrapper and the exported symbol (preload/cuda), the
 * `dlsym` and `cuGetProcAddress` entries (preload/cuda), the name, class and kind in the trace, and the default body in sim/.
 * docs/adding-a-hook.md walks through one.
 *
 *   HOOK(return type, name, twin, does, (type, argument), (type, argument), ...)
 *        a function of any library but libcuda whose prototype is the same in every CUDA that we know
 *   VOID_HOOK(name, twin, does, arguments ...)
 *        the same for a function that returns nothing. Where a table is expanded as HOOK alone, `#define VOID_HOOK(...) HOOK(void, __VA_ARGS__)`.
 *        Every other function returns a number, an enum or a pointer, so that `(return type)0` is a value of it; never a struct.
 *   OLDER(until, return type, name, twin, does, arguments ...)
 *   NEWER(since, return type, name, twin, does, arguments ...)
 *        the same name with two prototypes: OLDER for libraries of a CUDA version below `until`, NEWER from `since` on
 *        (versions as CUDA counts them: 12040, 13000). The pair stands on two lines next to each other.
 *   DRIVER(return type, symbol, base, since, twin, does, arguments ...)
 *        a function of libcuda: `symbol` is what it exports, `base` and `since` what cuGetProcAddress is asked for
 *        ("cuMemAlloc" and 3020 for cuMemAlloc_v2)
 *
 * twin:  NONE, PTSZ or PTDS: there is a second symbol `name_ptsz` / `name_ptds` of the same prototype (per-thread default stream).
 *
 * does:  what the call does, and which of its arguments a report needs. The words below take argument names of the same line.
 *        They are read twice: KIND_x gives the enum ovh_kind, CAPTURE_x (preload/cuda/capture.h) writes the argument record.
 *
 *   PLAIN                                          nothing to keep
 *   QUERY                                          reads state: cudaGetDevice, cudaStreamIsCapturing. Where its calls prove short,
 *                                                  most of them are counted and not timed (preload/writer/short_calls.h)
 *   SET                                            sets state of a handle or thread, or makes or drops a small descriptor in
 *                                                  host memory, and no more: the same
 *   PROC_ADDRESS(symbol, pointer to result, version, flags)   cuGetProcAddress, cudaGetDriverEntryPoint and their versions: a LOOKUP
 *                                                  whose answer is replaced by a wrapper; version 0 where the call names none
 *   LOOKUP                                         finds a function, symbol, property: expensive on a hot path
 *   LAUNCH(function, grid dim3, block dim3, shared, stream)
 *   LAUNCH_XYZ(function, gx, gy, gz, bx, by, bz, shared, stream)
 *   LAUNCH_CONFIG(function, config)                cudaLaunchConfig_t *
 *   LAUNCH_DRIVER_CONFIG(function, config)         CUlaunchConfig *
 *   LAUNCH_GRAPH(exec, stream)    LAUNCH_HOST(function, stream)    LAUNCH_OTHER(function)
 *   ALLOC(pointer to result, bytes, stream)        stream 0 where there is none; bytes 0 where the arguments do not say them
 *   ALLOC_HOST(pointer to result, bytes)           ALLOC_POOL(pointer to result, bytes, stream)     ALLOC_MAP(bytes)
 *   FREE(pointer, stream)  FREE_HOST(pointer)      FREE_POOL(pointer, stream)
 *   COPY(direction, bytes, stream)                 asynchronous; direction: enum cudaMemcpyKind or OVH_COPY_*
 *   COPY_SYNC(direction, bytes)                    blocks the host: its time is waiting
 *   MEMSET(bytes, stream)
 *   EVENT_CREATE(pointer to result) EVENT_RECORD(event, stream) EVENT_QUERY(event) EVENT_DESTROY(event) EVENT_ELAPSED(pointer to ms)
 *   STREAM_CREATE(pointer to result) STREAM_WAIT(stream, event) STREAM_QUERY(stream) STREAM_DESTROY(stream)
 *   SYNC(handle)                                   blocks the host until the GPU is done: its time is waiting
 *   GRAPH(handle)                                  any other graph operation
 *   CAPTURE_BEGIN(stream) CAPTURE_END(stream)
 *   MODULE(handle)                                 loads or unloads device code; 0 where the call makes the handle
 *   FUNCTION_NAMED(pointer to result, name)        the call tells which name a function handle has
 *   FUNCTION_FROM(pointer to result, handle)       a function handle made from another one: same name
 *   REGISTER_FUNCTION(host stub, device name)      what nvcc's start-up code calls; never opens a trace file
 *   REGISTER                                       its companions; never open a trace file
 *   GEMM(m, n, k, batch, type a, type b, type c, compute type)
 *   GEMM_LT(operation descriptor, layout a, layout b, layout c)   sizes and types are asked of the descriptors
 *   HEURISTIC                                      cublasLtMatmulAlgoGetHeuristic and its like
 *
 * Types that the lines need stand in include/ovh/cuda_types.h: no CUDA is needed to build.
 */
#ifndef OVH_HOOK_H
#define OVH_HOOK_H

/* ---- arguments: OVH_PARAMS((int *, device), (size_t, n)) is `int * device, size_t n`; OVH_ARGS(...) is `device, n` ---- */

#define OVH_COUNT(...) OVH_COUNT_(0, ##__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, \
    22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define OVH_COUNT_(z, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, \
    a27, a28, a29, a30, a31, a32, n, ...) n
#define OVH_PASTE_(a, b) a##b
#define OVH_PASTE(a, b) OVH_PASTE_(a, b)
#define OVH_COMMA ,

#define OVH_MAP_0(m)
#define OVH_MAP_1(m, a) m a
#define OVH_MAP_2(m, a, ...) m a, OVH_MAP_1(m, __VA_ARGS__)
#define OVH_MAP_3(m, a, ...) m a, OVH_MAP_2(m, __VA_ARGS__)
#define OVH_MAP_4(m, a, ...) m a, OVH_MAP_3(m, __VA_ARGS__)
#define OVH_MAP_5(m, a, ...) m a, OVH_MAP_4(m, __VA_ARGS__)
#define OVH_MAP_6(m, a, ...) m a, OVH_MAP_5(m, __VA_ARGS__)
#define OVH_MAP_7(m, a, ...) m a, OVH_MAP_6(m, __VA_ARGS__)
#define OVH_MAP_8(m, a, ...) m a, OVH_MAP_7(m, __VA_ARGS__)
#define OVH_MAP_9(m, a, ...) m a, OVH_MAP_8(m, __VA_ARGS__)
#define OVH_MAP_10(m, a, ...) m a, OVH_MAP_9(m, __VA_ARGS__)
#define OVH_MAP_11(m, a, ...) m a, OVH_MAP_10(m, __VA_ARGS__)
#define OVH_MAP_12(m, a, ...) m a, OVH_MAP_11(m, __VA_ARGS__)
#define OVH_MAP_13(m, a, ...) m a, OVH_MAP_12(m, __VA_ARGS__)
#define OVH_MAP_14(m, a, ...) m a, OVH_MAP_13(m, __VA_ARGS__)
#define OVH_MAP_15(m, a, ...) m a, OVH_MAP_14(m, __VA_ARGS__)
#define OVH_MAP_16(m, a, ...) m a, OVH_MAP_15(m, __VA_ARGS__)
#define OVH_MAP_17(m, a, ...) m a, OVH_MAP_16(m, __VA_ARGS__)
#define OVH_MAP_18(m, a, ...) m a, OVH_MAP_17(m, __VA_ARGS__)
#define OVH_MAP_19(m, a, ...) m a, OVH_MAP_18(m, __VA_ARGS__)
#define OVH_MAP_20(m, a, ...) m a, OVH_MAP_19(m, __VA_ARGS__)
#define OVH_MAP_21(m, a, ...) m a, OVH_MAP_20(m, __VA_ARGS__)
#define OVH_MAP_22(m, a, ...) m a, OVH_MAP_21(m, __VA_ARGS__)
#define OVH_MAP_23(m, a, ...) m a, OVH_MAP_22(m, __VA_ARGS__)
#define OVH_MAP_24(m, a, ...) m a, OVH_MAP_23(m, __VA_ARGS__)
#define OVH_MAP_25(m, a, ...) m a, OVH_MAP_24(m, __VA_ARGS__)
#define OVH_MAP_26(m, a, ...) m a, OVH_MAP_25(m, __VA_ARGS__)
#define OVH_MAP_27(m, a, ...) m a, OVH_MAP_26(m, __VA_ARGS__)
#define OVH_MAP_28(m, a, ...) m a, OVH_MAP_27(m, __VA_ARGS__)
#define OVH_MAP_29(m, a, ...) m a, OVH_MAP_28(m, __VA_ARGS__)
#define OVH_MAP_30(m, a, ...) m a, OVH_MAP_29(m, __VA_ARGS__)
#define OVH_MAP_31(m, a, ...) m a, OVH_MAP_30(m, __VA_ARGS__)
#define OVH_MAP_32(m, a, ...) m a, OVH_MAP_31(m, __VA_ARGS__)
#define OVH_MAP(m, ...) OVH_PASTE(OVH_MAP_, OVH_COUNT(__VA_ARGS__))(m, ##__VA_ARGS__)

#define OVH_PARAM(type, name) type name
#define OVH_ARG(type, name) name
#define OVH_TYPE(type, name) type
#define OVH_VOID_0(...) __VA_ARGS__
#define OVH_PARAMS(...) OVH_PASTE(OVH_PARAMS_, OVH_IS_EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define OVH_PARAMS_1(...) void
#define OVH_PARAMS_0(...) OVH_MAP(OVH_PARAM, __VA_ARGS__)
#define OVH_ARGS(...) OVH_MAP(OVH_ARG, ##__VA_ARGS__)
#define OVH_TYPES(...) OVH_PASTE(OVH_TYPES_, OVH_IS_EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define OVH_TYPES_1(...) void
#define OVH_TYPES_0(...) OVH_MAP(OVH_TYPE, __VA_ARGS__)
#define OVH_IS_EMPTY(...) OVH_PASTE(OVH_IS_EMPTY_, OVH_COUNT(__VA_ARGS__))
#define OVH_IS_EMPTY_0 1
#define OVH_IS_EMPTY_1 0
#define OVH_IS_EMPTY_2 0
#define OVH_IS_EMPTY_3 0
#define OVH_IS_EMPTY_4 0
#define OVH_IS_EMPTY_5 0
#define OVH_IS_EMPTY_6 0
#define OVH_IS_EMPTY_7 0
#define OVH_IS_EMPTY_8 0
#define OVH_IS_EMPTY_9 0
#define OVH_IS_EMPTY_10 0
#define OVH_IS_EMPTY_11 0
#define OVH_IS_EMPTY_12 0
#define OVH_IS_EMPTY_13 0
#define OVH_IS_EMPTY_14 0
#define OVH_IS_EMPTY_15 0
#define OVH_IS_EMPTY_16 0
#define OVH_IS_EMPTY_17 0
#define OVH_IS_EMPTY_18 0
#define OVH_IS_EMPTY_19 0
#define OVH_IS_EMPTY_20 0
#define OVH_IS_EMPTY_21 0
#define OVH_IS_EMPTY_22 0
#define OVH_IS_EMPTY_23 0
#define OVH_IS_EMPTY_24 0
#define OVH_IS_EMPTY_25 0
#define OVH_IS_EMPTY_26 0
#define OVH_IS_EMPTY_27 0
#define OVH_IS_EMPTY_28 0
#define OVH_IS_EMPTY_29 0
#define OVH_IS_EMPTY_30 0
#define OVH_IS_EMPTY_31 0
#define OVH_IS_EMPTY_32 0

/* ---- does -> enum ovh_kind (trace.h): OVH_KIND_OF(LAUNCH(f, g, b, s, st)) is OVH_KIND_LAUNCH ---- */

#define OVH_KIND_OF(does) OVH_PASTE(KIND_, does)
#define KIND_PLAIN OVH_KIND_PLAIN
#define KIND_QUERY OVH_KIND_QUERY
#define KIND_SET OVH_KIND_SET
#define KIND_LOOKUP OVH_KIND_LOOKUP
#define KIND_PROC_ADDRESS(...) OVH_KIND_LOOKUP
#define KIND_LAUNCH(...) OVH_KIND_LAUNCH
#define KIND_LAUNCH_XYZ(...) OVH_KIND_LAUNCH
#define KIND_LAUNCH_CONFIG(...) OVH_KIND_LAUNCH
#define KIND_LAUNCH_DRIVER_CONFIG(...) OVH_KIND_LAUNCH
#define KIND_LAUNCH_GRAPH(...) OVH_KIND_LAUNCH
#define KIND_LAUNCH_HOST(...) OVH_KIND_LAUNCH
#define KIND_LAUNCH_OTHER(...) OVH_KIND_LAUNCH
#define KIND_ALLOC(...) OVH_KIND_ALLOC
#define KIND_ALLOC_HOST(...) OVH_KIND_ALLOC
#define KIND_ALLOC_POOL(...) OVH_KIND_ALLOC
#define KIND_ALLOC_MAP(...) OVH_KIND_ALLOC
#define KIND_FREE(...) OVH_KIND_FREE
#define KIND_FREE_HOST(...) OVH_KIND_FREE
#define KIND_FREE_POOL(...) OVH_KIND_FREE
#define KIND_COPY(...) OVH_KIND_COPY
#define KIND_COPY_SYNC(...) OVH_KIND_COPY_SYNC
#define KIND_MEMSET(...) OVH_KIND_MEMSET
#define KIND_EVENT_CREATE(...) OVH_KIND_EVENT
#define KIND_EVENT_RECORD(...) OVH_KIND_EVENT
#define KIND_EVENT_QUERY(...) OVH_KIND_EVENT
#define KIND_EVENT_DESTROY(...) OVH_KIND_EVENT
#define KIND_EVENT_ELAPSED(...) OVH_KIND_EVENT
#define KIND_STREAM_CREATE(...) OVH_KIND_STREAM
#define KIND_STREAM_WAIT(...) OVH_KIND_STREAM
#define KIND_STREAM_QUERY(...) OVH_KIND_STREAM
#define KIND_STREAM_DESTROY(...) OVH_KIND_STREAM
#define KIND_SYNC(...) OVH_KIND_SYNC
#define KIND_GRAPH(...) OVH_KIND_GRAPH
#define KIND_CAPTURE_BEGIN(...) OVH_KIND_CAPTURE
#define KIND_CAPTURE_END(...) OVH_KIND_CAPTURE
#define KIND_MODULE(...) OVH_KIND_MODULE
#define KIND_FUNCTION_NAMED(...) OVH_KIND_MODULE
#define KIND_FUNCTION_FROM(...) OVH_KIND_MODULE
#define KIND_REGISTER_FUNCTION(...) OVH_KIND_REGISTER
#define KIND_REGISTER OVH_KIND_REGISTER
#define KIND_GEMM(...) OVH_KIND_GEMM
#define KIND_GEMM_LT(...) OVH_KIND_GEMM
#define KIND_HEURISTIC OVH_KIND_HEURISTIC

#endif
