/* SPDX-License-Identifier: Apache-2.0
 *
 * What to do about something that is called: which slot of which object makes its calls seen.
 */
#include "preload/python/native.h"
#include "preload/python/native_call.h"
#include "preload/python/native_slots.h"
#include "preload/python/native_steps.h"

#include <string.h>

static void add(const char *object, uint32_t slot, uint32_t method)
{
    if (*(void *const *)(const void *)(object + slot) && !native_slot_known(object))
        native_slot_add(object, slot, method, native_step_define(object));
}

/* A C function that lives as long as its module or type. Others are made for one call and bound to an object of the program's,
 * which we must not keep alive: the descriptor that makes them is what can be patched. */
static bool stays(const char *function, const char *self)
{
    static const char record[] = "pybind11_detail_function_record";
    if (!self || native_is(self, ovh_py.module_type) || native_is(self, ovh_py.capsule_type) ||
        strncmp(native_type_name(native_type(self)), record, sizeof record - 1) == 0)
        return true;
    if (!native_is_type(self))
        return false;
    const char *found = native_attribute(self, native_method(function, FUNCTION_METHOD)->name);
    return found && native_is(found, ovh_py.static_method_type) && python_pointer(found, BOUND_FUNCTION) == function;
}

static void meet_function(const char *function)
{
    const char *self = python_pointer(function, FUNCTION_SELF);
    if (stays(function, self)) { /* without a slot: seen through tp_call */
        add(function, FUNCTION_VECTORCALL, FUNCTION_METHOD);
        return;
    }
    const struct native_method *method = native_method(function, FUNCTION_METHOD);
    const char *found = native_is_type(self) ? 0 : native_attribute(native_type(self), method->name);
    if (found && native_is(found, ovh_py.method_descriptor_type) &&
        native_method(found, DESCRIPTOR_METHOD)->function == method->function)
        add(found, DESCRIPTOR_VECTORCALL, DESCRIPTOR_METHOD);
}

/* Types of other libraries whose objects carry a slot each that is set once, when the object is made. */
static bool has_own_slot(const char *type)
{
    static const char *const known[] = {"nb_func", "nb_method", "ufunc", "_ArrayFunctionDispatcher", "cython_function_or_method"};
    if (!(native_flags(type) & TYPE_HAS_VECTORCALL))
        return false;
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(native_type_name(type), known[i]) == 0)
            return true;
    return false;
}

void python_native_meet(const char *callable)
{
    const char *type = native_type(callable);
    if (native_is(callable, ovh_py.method_type) || native_is(callable, ovh_py.instance_method_type)) {
        callable = python_pointer(callable, BOUND_FUNCTION);
        type = native_type(callable);
    }
    if (native_is(callable, ovh_py.python_function_type))
        return;
    if (native_is(callable, ovh_py.function_type) || native_is(callable, ovh_py.c_method_type))
        meet_function(callable);
    else if (native_is(callable, ovh_py.method_descriptor_type))
        add(callable, DESCRIPTOR_VECTORCALL, DESCRIPTOR_METHOD);
    else if (native_is_type(callable) && python_pointer(callable, TYPE_VECTORCALL))
        add(callable, TYPE_VECTORCALL, 0);
    else if (has_own_slot(type))
        add(callable, *(const uint32_t *)(const void *)(type + TYPE_VECTORCALL_OFFSET), 0);
    else
        native_call_meet_type(type);
}
