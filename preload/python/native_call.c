/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_call.h"

#include "preload/python/native_check.h"
#include "preload/python/native_record.h"
#include "preload/python/native_steps.h"

enum { TYPES = 64 };

struct patched {
    const char *type;
    native_ternary *real, *ours;
    bool given_up;
};
static struct patched types[TYPES];
static uint32_t n_types;
static bool armed;
static native_ternary *real_function, *real_wrapper, *real_method_wrapper, *real_type;
static uint64_t calls;

static inline __attribute__((always_inline)) void *call(native_ternary *real, enum native_kind kind, const char *key,
                                                        void *callable, void *args, void *kwargs)
{
    struct ovh_thread *t = ovh_begin(OVH_ARM_NATIVE);
    if (ovh_unlikely(!t))
        return real(callable, args, kwargs);
    if (ovh_unlikely(++calls == NATIVE_CHECK_AFTER)) {
        ovh_end(t);
        native_check_begin();
        ovh_resume(t);
    }
    struct native_step *s = native_step(kind, key, callable);
    void *result;
    if (native_counted(t, s->short_calls, s->step)) {
        const uint32_t *next = t->next;
        ovh_end(t);
        result = real(callable, args, kwargs);
        native_counted_end(t, next, &s->short_calls);
    } else {
        struct native_span span = native_enter(t, s->step);
        result = real(callable, args, kwargs);
        native_leave(t, span, !result, &s->short_calls);
    }
    return result;
}

static void *call_function(void *callable, void *args, void *kwargs)
{
    return call(real_function, NATIVE_FUNCTION, python_pointer(callable, FUNCTION_METHOD), callable, args, kwargs);
}

static void *call_wrapper(void *callable, void *args, void *kwargs)
{
    return call(real_wrapper, NATIVE_WRAPPER, callable, callable, args, kwargs);
}

static void *call_method_wrapper(void *callable, void *args, void *kwargs)
{
    return call(real_method_wrapper, NATIVE_WRAPPER, python_pointer(callable, WRAPPER_DESCRIPTOR), callable, args, kwargs);
}

static void *call_type(void *callable, void *args, void *kwargs)
{
    return call(real_type, NATIVE_TYPE, callable, callable, args, kwargs);
}

/* An object whose type is its name: a cached function, a compiled kernel of another library. The type, or one that it was made
 * from. */
static void *call_object(void *callable, void *args, void *kwargs)
{
    native_ternary *real = 0;
    const char *type = native_type(callable);
    for (const char *base = type; base && !real; base = python_pointer(base, TYPE_BASE))
        for (uint32_t i = 0; i < n_types && !real; i++)
            real = types[i].type == base && types[i].ours == call_object ? types[i].real : 0;
    return call(real, NATIVE_OBJECT, type, callable, args, kwargs);
}

static native_ternary **place(const char *type)
{
    return (native_ternary **)(void *)(uintptr_t)(type + TYPE_CALL);
}

static void arm(struct patched *p)
{
    native_ternary *there = *place(p->type);
    if (there != p->real && there != p->ours)
        p->given_up = true;
    else if (!p->given_up)
        *place(p->type) = p->ours;
}

static void add(const char *type, native_ternary *ours)
{
    if (!type || n_types == TYPES)
        return;
    struct patched *p = &types[n_types];
    *p = (struct patched){.type = type, .real = *place(type), .ours = ours};
    n_types++;
    if (armed)
        arm(p);
}

void native_call_start(void)
{
    real_function = *place(ovh_py.function_type);
    real_wrapper = *place(ovh_py.wrapper_type);
    real_method_wrapper = *place(ovh_py.method_wrapper_type);
    real_type = *place(ovh_py.type_type);
    add(ovh_py.function_type, call_function);
    add(ovh_py.wrapper_type, call_wrapper);
    add(ovh_py.method_wrapper_type, call_method_wrapper);
    add(ovh_py.type_type, call_type);
}

static bool known(const char *type)
{
    for (uint32_t i = 0; i < n_types; i++)
        if (types[i].type == type)
            return true;
    return false;
}

/* A type called through Python code of its own (`__call__` in a class) is not ours to look at: that is a frame. Its slot is one and
 * the same function for all such types, which a type made of C code does not have. */
static bool calls_python(const char *type)
{
    const char *found = native_attribute(type, "__call__");
    return !found || !native_is(found, ovh_py.wrapper_type);
}

void native_call_meet_type(const char *type)
{
    native_ternary *there = *place(type);
    if (known(type) || !there || n_types == TYPES)
        return;
    if (there == real_type || there == call_type) { /* a metaclass that inherits how classes are called */
        if (there == real_type)
            add(type, call_type);
    } else if (!(native_flags(type) & TYPE_HAS_VECTORCALL) && !calls_python(type)) {
        add(type, call_object);
        ovh_py.incref((void *)(uintptr_t)type);
    }
}

bool native_call_covers(const char *type)
{
    return known(type);
}

void native_call_arm(void)
{
    armed = true;
    for (uint32_t i = 0; i < n_types; i++)
        arm(&types[i]);
}

void native_call_disarm(void)
{
    armed = false;
    for (uint32_t i = 0; i < n_types; i++) {
        struct patched *p = &types[i];
        if (*place(p->type) == p->ours)
            *place(p->type) = p->real;
        else if (*place(p->type) != p->real)
            p->given_up = true;
    }
}

uint64_t native_call_calls(void)
{
    return calls;
}
