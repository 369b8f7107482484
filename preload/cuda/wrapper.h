/* SPDX-License-Identifier: Apache-2.0
 *
 * From one line of a hook table to its wrappers. For NAME there are
 *
 *   NAME            exported; the real function is the caller's (callers.h). Of a pair (OLDER, NEWER) this one is called ovh_0_NAME,
 *                   and NAME is a dispatcher (stubs.S)
 *   ovh_1_NAME ...  given out for dlsym and cuGetProcAddress; each has one real function (names.h)
 *
 * all with the one body below. It calls the real function exactly once with the same arguments, returns its value and leaves errno as
 * it was. It works before our constructor and after our destructor, and an exception or longjmp may pass through it.
 *
 * Budget: record.h. The body is a function of its own where the arguments and the real function fit in registers (a wrapper is then
 * one load and a jump), else it is part of the exported wrapper, and of launches' other wrappers.
 */
#ifndef OVH_CUDA_WRAPPER_H
#define OVH_CUDA_WRAPPER_H

#include "ovh/hooks.h"
#include "preload/cuda/blind.h"
#include "preload/cuda/callers.h"
#include "preload/cuda/capture.h"
#include "preload/python/python.h"
#include "preload/writer/short_calls.h"

/* `ARGS(list), real` with or without arguments in the list */
#define OVH_COMMA_IF(...) OVH_PASTE(OVH_COMMA_IF_, OVH_IS_EMPTY(__VA_ARGS__))
#define OVH_COMMA_IF_0 ,
#define OVH_COMMA_IF_1
#define OVH_LIST(...) OVH_PASTE(OVH_LIST_, OVH_IS_EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define OVH_LIST_0(...) OVH_MAP(OVH_PARAM, __VA_ARGS__)
#define OVH_LIST_1(...)

/* With OVH_SELDOM defined, a table's wrappers of a name share one body and are compiled for size: a few nanoseconds slower. */
#if defined(OVH_SELDOM)
#define OVH_REGISTERS 64
#elif defined(__x86_64__)
#define OVH_REGISTERS 6
#else
#define OVH_REGISTERS 8
#endif

static inline uint32_t ovh_kind_arm(enum ovh_kind kind)
{
    return OVH_KIND_AT_EVERY_LEVEL(kind) ? OVH_ARM_LAUNCH : OVH_ARM_CALL;
}

/* Which bit of ovh_armed lets this call be recorded. A query of the driver takes 5 to 20 ns, to record one costs more, and the
 * runtime makes two or three in a row: in torch's Linear 15 of 38 recorded calls were such, for 0.6 us of 16 (docs/results). Made by
 * another hooked call they are its own business and stay in its self time, unless OVH_NESTED_QUERIES asks for them. */
static inline uint32_t ovh_call_arm(enum ovh_kind kind)
{
#ifdef OVH_DRIVER_TABLE
    const struct ovh_thread *t = ovh_self;
    if (kind == OVH_KIND_QUERY && t && (t->depth != t->frame_depth || t->untimed))
        return OVH_ARM_NESTED;
#endif
    return ovh_kind_arm(kind);
}

/* A call that is not recorded, and of which nothing must be noted, goes to the real function by a jump: in a window of the lowest level
 * that is nearly every call, and two instructions more are measurable where a forward makes forty of them. The wrappers' fronts lie side
 * by side, apart from what they jump to when the call is recorded: few lines and pages of code are touched. */
#define OVH_TEXT_OF(...) OVH_TEXT_OF_(__VA_ARGS__)
#define OVH_TEXT_OF_(...) #__VA_ARGS__
#define OVH_PASSES(does) (sizeof OVH_TEXT_OF(OVH_PASTE(NOTE_, does)) == 1) /* NOTE_x is empty */
#ifdef OVH_SELDOM
#define OVH_FRONT __attribute__((cold)) /* apart from those of the other tables, and small */
#define OVH_BODY __attribute__((noinline, unused, cold))
#else
#define OVH_FRONT __attribute__((section(".text.front")))
#define OVH_BODY __attribute__((noinline, unused))
#endif

static inline bool ovh_call_passes(enum ovh_kind kind)
{
#ifdef OVH_TWIN
    return true;
#else
    return !(ovh_armed & ovh_kind_arm(kind));
#endif
}

/* What a front jumps to: its return address is the caller's only if it is jumped to. Without optimisation it would be called, so there it
 * becomes part of the front. */
#ifdef __OPTIMIZE__
#define OVH_BEHIND static __attribute__((noinline))
#else
#define OVH_BEHIND static inline __attribute__((always_inline))
#endif

/* The recorder's thread for this call, NULL: not recorded. Registration happens at load time in every program that has device code,
 * also where nothing is ever launched: it never is a thread's first recorded call, so that it never makes a trace file. */
static inline struct ovh_thread *ovh_call_begin(enum ovh_kind kind)
{
    if (kind == OVH_KIND_REGISTER && !ovh_self)
        return 0;
    struct ovh_thread *t = ovh_begin(ovh_call_arm(kind));
    if (t) {
        if (ovh_unlikely(!ovh_python_started) && kind != OVH_KIND_REGISTER)
            ovh_python_start();
        ovh_python_at_call(t);
    }
    return t;
}

/* Must a driver launch be seen inside this call? */
#ifdef OVH_RUNTIME_TABLE
#define OVH_RUNTIME_LAUNCH(kind) ((kind) == OVH_KIND_LAUNCH)
#else
#define OVH_RUNTIME_LAUNCH(kind) false
#endif

/* Does the value say whether the call failed? Not a count, a pointer, a version. */
#define OVH_IS_STATUS(type) \
    (OVH_IS(type, cudaError_t) || OVH_IS(type, CUresult) || OVH_IS(type, cublasStatus_t) || OVH_IS(type, cudnnStatus_t) || \
     OVH_IS(type, ncclResult_t) || OVH_IS(type, cusparseStatus_t) || OVH_IS(type, cusolverStatus_t) || OVH_IS(type, cufftResult) || \
     OVH_IS(type, curandStatus_t) || OVH_IS(type, nvrtcResult))
#define OVH_IS(type, other) __builtin_types_compatible_p(type, other)
/* An answer, not a failure: cudaErrorNotReady and CUDA_ERROR_NOT_READY, ncclInProgress. */
#define OVH_NOT_READY(type) (OVH_IS(type, ncclResult_t) ? 7 : 600)

#define OVH_CALL_VALUE(ret, ...) \
    ret ovh_result = __VA_ARGS__; \
    const uint32_t ovh_status = OVH_IS_STATUS(ret) ? (uint32_t)(uintptr_t)ovh_result : 0; \
    const bool ovh_ok = !ovh_status
#define OVH_CALL_VOID(ret, ...) __VA_ARGS__; const uint32_t ovh_status = 0; const bool ovh_ok = true
#define OVH_RETURN_VALUE return ovh_result
#define OVH_RETURN_VOID return

#define OVH_WRAPPERS(gives, ret, name, declare, per_thread, does, ...) \
    typedef ret ovh_fn_##name(OVH_PARAMS(__VA_ARGS__)); \
    static inline __attribute__((always_inline)) ret ovh_inline_##name(OVH_LIST(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_fn_##name *ovh_real) \
    { \
        enum { ovh_per_thread = per_thread }; \
        struct ovh_thread *ovh_t = ovh_call_begin(OVH_KIND_OF(does)); \
        const bool ovh_counted = OVH_MAY_BE_SHORT(OVH_KIND_OF(does)) && ovh_t && ovh_short_call_counted(ovh_t, OVH_HOOK_##name); \
        if (ovh_unlikely(!ovh_t) || ovh_counted) { \
            OVH_CALL_##gives(ret, ovh_real(OVH_ARGS(__VA_ARGS__))); \
            (void)ovh_ok, (void)ovh_status; \
            OVH_PASTE(NOTE_, does) \
            if (ovh_counted) \
                ovh_t->untimed = 0; \
            OVH_RETURN_##gives; \
        } \
        uint32_t ovh_depth = ovh_enter(ovh_t, OVH_STEP_OF_HOOK(OVH_HOOK_##name)); \
        const uint64_t ovh_began = ovh_t->last; \
        (void)ovh_began; \
        ovh_end(ovh_t); \
        const uint32_t ovh_inner = ovh_t->driver_launches; \
        OVH_CALL_##gives(ret, ovh_real(OVH_ARGS(__VA_ARGS__))); \
        ovh_resume(ovh_t); \
        if (OVH_RUNTIME_LAUNCH(OVH_KIND_OF(does)) && ovh_ok && ovh_unlikely(ovh_t->driver_launches == ovh_inner)) \
            ovh_blind_launch((const void *)ovh_real); \
        (void)ovh_ok, (void)ovh_inner; \
        OVH_PASTE(NOTE_, does) \
        OVH_PASTE(CAPTURE_, does) \
        if (ovh_unlikely(ovh_status != 0)) \
            ovh_put_status(ovh_t, ovh_status); \
        ovh_leave(ovh_t, ovh_depth, ovh_status != 0 && ovh_status != OVH_NOT_READY(ret)); \
        if (OVH_MAY_BE_SHORT(OVH_KIND_OF(does))) \
            ovh_short_call_timed(OVH_HOOK_##name, ovh_t->last - ovh_began); \
        ovh_end(ovh_t); \
        OVH_RETURN_##gives; \
    } \
    static OVH_BODY ret ovh_body_##name(OVH_LIST(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_fn_##name *ovh_real) \
    { \
        return ovh_inline_##name(OVH_ARGS(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_real); \
    } \
    OVH_BEHIND ret ovh_recorded_##name(OVH_PARAMS(__VA_ARGS__)) \
    { \
        ovh_fn_##name *ovh_real = (ovh_fn_##name *)ovh_real_of(OVH_HOOK_##name, __builtin_return_address(0)); \
        if (OVH_COUNT(__VA_ARGS__) < OVH_REGISTERS) \
            return ovh_body_##name(OVH_ARGS(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_real); \
        return ovh_inline_##name(OVH_ARGS(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_real); \
    } \
    declare(ret, name, __VA_ARGS__) \
    OVH_FRONT ret ovh_0_##name(OVH_PARAMS(__VA_ARGS__)) \
    { \
        if (OVH_PASSES(does) && ovh_call_passes(OVH_KIND_OF(does))) { \
            ovh_fn_##name *ovh_real = (ovh_fn_##name *)ovh_real_near(OVH_HOOK_##name, __builtin_return_address(0)); \
            if (ovh_likely(ovh_real != 0)) \
                return ovh_real(OVH_ARGS(__VA_ARGS__)); \
        } \
        return ovh_recorded_##name(OVH_ARGS(__VA_ARGS__)); \
    } \
    OVH_INSTANCE(OVH_FRONT, ret, name, 1, does, __VA_ARGS__) \
    OVH_INSTANCE(OVH_COLD, ret, name, 2, does, __VA_ARGS__) \
    OVH_INSTANCE(OVH_COLD, ret, name, 3, does, __VA_ARGS__)

/* Second and third instances are rare: out of the way of the others. */
#define OVH_INSTANCE(place, ret, name, number, does, ...) \
    OVH_HIDDEN place ovh_fn_##name ovh_##number##_##name; \
    ret ovh_##number##_##name(OVH_PARAMS(__VA_ARGS__)) \
    { \
        ovh_fn_##name *ovh_real = (ovh_fn_##name *)__atomic_load_n(&ovh_instance_real[OVH_HOOK_##name][number - 1], __ATOMIC_RELAXED); \
        if (OVH_PASSES(does) && ovh_call_passes(OVH_KIND_OF(does))) \
            return ovh_real(OVH_ARGS(__VA_ARGS__)); \
        if (OVH_COUNT(__VA_ARGS__) < OVH_REGISTERS || OVH_KIND_OF(does) != OVH_KIND_LAUNCH) \
            return ovh_body_##name(OVH_ARGS(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_real); \
        return ovh_inline_##name(OVH_ARGS(__VA_ARGS__) OVH_COMMA_IF(__VA_ARGS__) ovh_real); \
    }

/* The exported name, and the one behind a dispatcher. */
#define OVH_EXPORTED(ret, name, ...) extern ret ovh_0_##name(OVH_PARAMS(__VA_ARGS__)) __asm__(#name) __attribute__((visibility("default")));
#define OVH_INTERNAL(ret, name, ...) OVH_HIDDEN ovh_fn_##name ovh_0_##name;

#define OVH_WRAP_NONE(gives, ret, name, declare, does, ...) OVH_WRAPPERS(gives, ret, name, declare, 0, does, ##__VA_ARGS__)
#define OVH_WRAP_PTSZ(gives, ret, name, declare, does, ...) \
    OVH_WRAPPERS(gives, ret, name, declare, 0, does, ##__VA_ARGS__) \
    OVH_WRAPPERS(gives, ret, name##_ptsz, declare, 1, does, ##__VA_ARGS__)
#define OVH_WRAP_PTDS(gives, ret, name, declare, does, ...) \
    OVH_WRAPPERS(gives, ret, name, declare, 0, does, ##__VA_ARGS__) \
    OVH_WRAPPERS(gives, ret, name##_ptds, declare, 1, does, ##__VA_ARGS__)

#define HOOK(ret, name, twin, does, ...) OVH_WRAP_##twin(VALUE, ret, name, OVH_EXPORTED, does, ##__VA_ARGS__)
#define VOID_HOOK(name, twin, does, ...) OVH_WRAP_##twin(VOID, void, name, OVH_EXPORTED, does, ##__VA_ARGS__)
#define DRIVER(ret, symbol, base, since, twin, does, ...) OVH_WRAP_##twin(VALUE, ret, symbol, OVH_EXPORTED, does, ##__VA_ARGS__)
#define NEWER(since, ret, name, twin, does, ...) OVH_WRAP_##twin(VALUE, ret, name, OVH_INTERNAL, does, ##__VA_ARGS__)
#define OLDER(until, ret, name, twin, does, ...) OVH_OLDER_(VALUE, ret, name##_until_##until, twin, does, ##__VA_ARGS__)
#define OVH_OLDER_(gives, ret, name, twin, does, ...) OVH_WRAP_##twin(gives, ret, name, OVH_INTERNAL, does, ##__VA_ARGS__)

#endif
