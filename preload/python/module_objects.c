/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/module_objects.h"

#include "preload/python/selftest.h"
#include "preload/python/text.h"

#include <stdio.h>

enum { EVAL_INPUT = 258 };
#define TYPE_DICT_OFFSET 288         /* PyTypeObject, 3.9 to 3.15 */
#define TYPE_MANAGES_DICT (1ul << 4) /* 3.11 on: the dictionary's word, or that of the values, is before the object, */
#define MANAGED_DICT (-24)           /* here */
#define TYPE_IS_DICT (1ul << 29)     /* dict and what derives from it */

static void *modules_name, *package_name; /* the str "_modules", "__module__"; of this life of the interpreter */

int64_t module_dict_place(const char *type)
{
    if (native_flags(type) & TYPE_MANAGES_DICT)
        return ovh_layout.version >= 0x030b ? MANAGED_DICT : 0;
    int64_t offset = *(const int64_t *)(const void *)(type + TYPE_DICT_OFFSET);
    return offset > 0 ? offset : 0;
}

/* PyObject_GenericGetAttr itself looks into the object's values or dictionary, and makes neither; what a class says of attribute
 * reads (__getattr__, __getattribute__, a property) is not asked. */
const char *module_children(const char *module)
{
    if (ovh_py.type_lookup((void *)(uintptr_t)native_type(module), modules_name))
        return 0;
    char *found = ovh_py.generic_attribute((void *)(uintptr_t)module, modules_name);
    if (!found) {
        ovh_py.error_clear();
        return 0;
    }
    ovh_py.decref(found); /* the module holds it */
    return native_flags(native_type(found)) & TYPE_IS_DICT ? found : 0;
}

bool module_next_child(const char *children, int64_t *at, const char **name, const char **child)
{
    void *key, *value;
    while (ovh_py.dict_next((void *)(uintptr_t)children, at, &key, &value)) {
        if (value == ovh_py.none || native_type(key) != ovh_py.text_type)
            continue;
        *name = key;
        *child = value;
        return true;
    }
    return false;
}

/* tp_name is the class's name alone for a class made in Python, and the whole for others. */
void module_type_name(const char *type, char *out, size_t size)
{
    char package[256] = "";
    void *in = native_flags(type) & TYPE_IS_HEAP ? ovh_py.type_lookup((void *)(uintptr_t)type, package_name) : 0;
    if (in && native_type(in) == ovh_py.text_type)
        python_text(in, package, sizeof package);
    snprintf(out, size, "%s%s%s", package, *package ? "." : "", python_pointer(type, TYPE_NAME));
}

/* ---- self-test: an expression calls a Python function, and that this ---- */

static struct {
    const char *argument;
    bool local;
} seen;

static void *look(void *self, void *unused)
{
    const char *frame = python_top_frame(ovh_py.this_thread_state());
    seen.local = frame && module_of_frame(frame) == seen.argument;
    ovh_py.incref(self);
    return self;
}

static bool run(void *unused)
{
    static struct native_method method = {"look", look, METHOD_NOARGS, 0};
    void *code = ovh_py.compile("(lambda ovh: look())(ovh_argument)", "<ovh self-test>", EVAL_INPUT), *result = 0;
    void *globals = code ? ovh_py.dict_new() : 0, *function = globals ? ovh_py.c_function(&method, code, 0) : 0;
    if (function && ovh_py.dict_set(globals, "look", function) == 0 && ovh_py.dict_set(globals, "ovh_argument", code) == 0) {
        seen.argument = code;
        result = ovh_py.eval_code(code, globals, globals);
    }
    void *ours[] = {result, function, globals, code};
    for (uint32_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i])
            ovh_py.decref(ours[i]);
    return result != 0;
}

const char *module_objects_start(void)
{
    if (!(ovh_py.type_lookup && ovh_py.generic_attribute && ovh_py.dict_next && ovh_py.text_intern && ovh_py.type_flags &&
          ovh_py.error_clear && ovh_py.none && ovh_py.text_type && ovh_py.type_type))
        return "symbols of CPython are missing";
    if (native_type(ovh_py.type_type) != ovh_py.type_type || native_flags(ovh_py.type_type) != ovh_py.type_flags(ovh_py.type_type))
        return "types do not read as they should";
    modules_name = ovh_py.text_intern("_modules");
    package_name = ovh_py.text_intern("__module__");
    if (!modules_name || !package_name)
        return "no memory";
    if (!ovh_layout.frame_locals || !python_run_hidden(run, 0) || !seen.local)
        return "the self-test's argument is not where it should be";
    return 0;
}
