/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/python/native_names.h"

#include "preload/python/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *last_part(const char *name, char separator)
{
    const char *last = strrchr(name, separator);
    return last ? last + 1 : name;
}

static void text_of(const char *object, char *to, size_t size)
{
    to[0] = 0;
    if (object && native_is(object, ovh_py.text_type))
        python_text(object, to, size);
}

const char *native_attribute(const char *type, const char *name)
{
    void *text = ovh_py.text_intern(name);
    const char *found = text ? ovh_py.type_lookup((void *)(uintptr_t)type, text) : 0;
    if (text)
        ovh_py.decref(text);
    else
        ovh_py.error_clear();
    return found;
}

static void library_of(const void *address, struct native_name *name)
{
    Dl_info info;
    if (address && dladdr(address, &info) && info.dli_fname)
        snprintf(name->file, sizeof name->file, "%s", last_part(info.dli_fname, '/'));
}

static void join(struct native_name *name, const char *owner, const char *own)
{
    snprintf(name->text, sizeof name->text, "%s%s%s", owner, *owner ? "." : "", own);
}

static void attribute_of(const char *object, const char *attribute, char *to, size_t size)
{
    void *text = ovh_py.get_attribute((void *)(uintptr_t)object, attribute);
    to[0] = 0;
    if (text) {
        text_of(text, to, size);
        ovh_py.decref(text);
    } else {
        ovh_py.error_clear();
    }
}

/* The type in whose body a method stands: `type` or one of its bases (a class between may have a method of that name); `type` where
 * there is none. */
static const char *owner_of(const char *type, const struct native_method *method)
{
    for (const char *base = type; base; base = python_pointer(base, TYPE_BASE)) {
        const char *found = native_attribute(base, method->name);
        if (!found)
            break;
        if ((native_is(found, ovh_py.method_descriptor_type) || native_is(found, ovh_py.class_method_descriptor_type)) &&
            native_method(found, DESCRIPTOR_METHOD)->function == method->function)
            return python_pointer(found, DESCRIPTOR_TYPE);
    }
    return type;
}

/* An overload of torch.ops has no name of its own. It is called by OpOverload.__call__, whose `self` has it: `aten::add`. False: no
 * such thing. */
static bool operator_name(char *to, size_t size)
{
    char caller[64];
    const char *frame = python_top_frame(ovh_py.this_thread_state());
    to[0] = 0;
    if (!frame)
        return false;
    text_of(python_pointer(python_frame_code(frame), ovh_layout.code_name), caller, sizeof caller);
    void *object = strncmp(caller, "OpOverload", 10) == 0 ? ovh_py.current_frame() : 0;
    void *locals = object ? ovh_py.get_attribute(object, "f_locals") : 0, *self = locals ? ovh_py.map_get(locals, "self") : 0;
    if (self)
        attribute_of(self, "_name", to, size);
    else
        ovh_py.error_clear();
    if (self)
        ovh_py.decref(self);
    if (locals)
        ovh_py.decref(locals);
    return to[0] != 0;
}

static void function_name(const char *function, struct native_name *name)
{
    const struct native_method *method = native_method(function, FUNCTION_METHOD);
    const char *self = python_pointer(function, FUNCTION_SELF);
    char module[160];
    text_of(python_pointer(function, FUNCTION_MODULE), module, sizeof module);
    library_of(method->function, name);
    if (!method->name[0] && operator_name(name->text, sizeof name->text))
        return;
    if (module[0] || !self)
        join(name, strcmp(module, "builtins") ? module : "", method->name);
    else
        join(name, native_type_name(owner_of(native_is_type(self) ? self : native_type(self), method)), method->name);
}

static void descriptor_name(const char *descriptor, struct native_name *name)
{
    const struct native_method *method = native_method(descriptor, DESCRIPTOR_METHOD);
    library_of(method->function, name);
    join(name, native_type_name(python_pointer(descriptor, DESCRIPTOR_TYPE)), method->name);
}

static void wrapper_name(const char *wrapper, struct native_name *name)
{
    char own[96];
    text_of(python_pointer(wrapper, DESCRIPTOR_NAME), own, sizeof own);
    library_of(python_pointer(wrapper, DESCRIPTOR_WRAPPED), name);
    join(name, native_type_name(python_pointer(wrapper, DESCRIPTOR_TYPE)), own);
}

static void class_name(const char *type, struct native_name *name)
{
    join(name, "", native_type_name(type));
    if (native_flags(type) & TYPE_IS_HEAP)
        text_of(native_attribute(type, "__module__"), name->file, sizeof name->file);
    else
        library_of(type, name);
}

/* A callable of another library's own type, which has a vectorcall slot of its own: `add` of a module, `D.get` of a class in it. */
static void object_name(const char *object, struct native_name *name)
{
    char own[96], module[96];
    const char *type = native_type(object);
    attribute_of(object, "__qualname__", own, sizeof own);
    attribute_of(object, "__module__", module, sizeof module);
    if (!own[0])
        attribute_of(object, "__name__", own, sizeof own);
    if (own[0])
        join(name, strchr(own, '.') ? "" : module[0] ? module : native_type_name(type), own);
    else
        join(name, "", native_type_name(type));
    if (native_flags(type) & TYPE_HAS_VECTORCALL)
        library_of(*(void *const *)(const void *)(object + python_int(type, TYPE_VECTORCALL_OFFSET)), name);
}

/* Keeps the error indicator: a name may be asked for while an exception is being made. */
void native_name_of(enum native_kind kind, const char *callable, struct native_name *name)
{
    void *error[3] = {0};
    ovh_py.error_fetch(&error[0], &error[1], &error[2]);
    name->text[0] = name->file[0] = 0;
    if (kind == NATIVE_OBJECT)
        class_name(native_type(callable), name);
    else if (kind == NATIVE_TYPE)
        class_name(callable, name);
    else if (native_is(callable, ovh_py.function_type))
        function_name(callable, name);
    else if (native_is(callable, ovh_py.method_descriptor_type))
        descriptor_name(callable, name);
    else if (native_is(callable, ovh_py.wrapper_type))
        wrapper_name(callable, name);
    else if (native_is(callable, ovh_py.method_wrapper_type))
        wrapper_name(python_pointer(callable, WRAPPER_DESCRIPTOR), name);
    else
        object_name(callable, name);
    ovh_py.error_restore(error[0], error[1], error[2]);
}
