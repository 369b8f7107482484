/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_selftest.h"

#include <string.h>

static void *takes_one(void *self, void *argument)
{
    ovh_py.incref(argument);
    return argument;
}

static void *takes_all(void *self, void *arguments)
{
    ovh_py.incref(arguments);
    return arguments;
}

static struct native_method one = {"one", takes_one, METHOD_O, 0}, all = {"all", takes_all, METHOD_VARARGS, 0};
static uint32_t by_slot, by_call;
static native_vectorcall *real_slot;
static native_ternary *real_call;

static void *count_slot(void *callable, void *const *args, size_t nargsf, void *names)
{
    by_slot++;
    return real_slot(callable, args, nargsf, names);
}

static void *count_call(void *callable, void *args, void *kwargs)
{
    by_call++;
    return real_call(callable, args, kwargs);
}

static bool types_agree(void)
{
    const char *list = ovh_py.list_type, *function = ovh_py.function_type, *type = ovh_py.type_type;
    return strcmp(python_pointer(list, TYPE_NAME), "list") == 0 && native_flags(list) == ovh_py.type_flags(ovh_py.list_type) &&
           native_flags(function) == ovh_py.type_flags(ovh_py.function_type) && native_type(list) == type && native_is_type(type) &&
           !(native_flags(function) & TYPE_IS_TYPE) && native_flags(function) & TYPE_HAS_VECTORCALL &&
           python_int(function, TYPE_VECTORCALL_OFFSET) == FUNCTION_VECTORCALL &&
           python_int(type, TYPE_VECTORCALL_OFFSET) == TYPE_VECTORCALL && python_pointer(function, TYPE_CALL);
}

static bool objects_agree(const char *isinstance, const char *append, const char *mine, const char *varargs)
{
    return native_is(isinstance, ovh_py.function_type) && native_is(append, ovh_py.method_descriptor_type) &&
           python_int(native_type(append), TYPE_VECTORCALL_OFFSET) == DESCRIPTOR_VECTORCALL &&
           python_pointer(append, DESCRIPTOR_TYPE) == (const char *)ovh_py.list_type &&
           strcmp(native_method(append, DESCRIPTOR_METHOD)->name, "append") == 0 &&
           native_method(append, DESCRIPTOR_METHOD)->flags == METHOD_O && python_pointer(append, DESCRIPTOR_VECTORCALL) &&
           native_method(mine, FUNCTION_METHOD) == &one && native_method(varargs, FUNCTION_METHOD) == &all &&
           python_pointer(mine, FUNCTION_VECTORCALL) && !python_pointer(varargs, FUNCTION_VECTORCALL);
}

/* Calls both functions once: by the slot of the one, by the tp_call of the other's type. */
static bool calls_are_seen(char *mine, void *varargs)
{
    native_vectorcall **slot = (native_vectorcall **)(void *)(mine + FUNCTION_VECTORCALL);
    native_ternary **call = (native_ternary **)(void *)((char *)ovh_py.function_type + TYPE_CALL);
    struct native_method copy = one, **method = (struct native_method **)(void *)(mine + FUNCTION_METHOD);
    copy.flags |= METHOD_COEXIST;
    by_slot = by_call = 0;
    real_slot = *slot;
    real_call = *call;
    *slot = count_slot;
    *call = count_call;
    *method = &copy;
    void *a = ovh_py.call_objects(mine, varargs, (void *)0), *b = ovh_py.call_objects(varargs, mine, (void *)0);
    *slot = real_slot;
    *call = real_call;
    *method = &one;
    bool right = a == varargs && b && by_slot == 1 && by_call == 1;
    if (a)
        ovh_py.decref(a);
    if (b)
        ovh_py.decref(b);
    return right;
}

const char *native_selftest(const char *isinstance, const char *append)
{
    if (!types_agree())
        return "types do not read as they should";
    void *mine = ovh_py.c_function(&one, 0, 0), *varargs = ovh_py.c_function(&all, 0, 0);
    const char *wrong = "no memory";
    if (mine && varargs)
        wrong = !objects_agree(isinstance, append, mine, varargs) ? "functions do not read as they should"
                : !calls_are_seen(mine, varargs)                  ? "the self-test's calls were not seen"
                                                                  : 0;
    if (mine)
        ovh_py.decref(mine);
    if (varargs)
        ovh_py.decref(varargs);
    return wrong;
}
