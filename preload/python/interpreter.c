/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/python/interpreter.h"

#include "preload/writer/define.h"
#include "preload/writer/settings.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct python_api ovh_py;

/* Where a symbol goes, and from which version on we cannot do without it (0: never needed, absent in some versions). */
static const struct symbol {
    const char *name;
    uint32_t at, needed;
} symbols[] = {
#define SYMBOL(name, field, needed)                                                                                                \
    {                                                                                                                              \
        name, offsetof(struct python_api, field), needed                                                                           \
    }
    SYMBOL("Py_IsInitialized", is_initialized, 1),
    SYMBOL("Py_GetVersion", get_version, 1),
    SYMBOL("_PyRuntime", runtime, 0),
    SYMBOL("PyCode_Type", code_type, 1),
    SYMBOL("PyBytes_Type", bytes_type, 1),
    SYMBOL("PyGILState_GetThisThreadState", this_thread_state, 1),
    SYMBOL("_PyThreadState_UncheckedGet", current_thread_state, 0),
    SYMBOL("PyThreadState_GetUnchecked", current_thread_state, 0),
    SYMBOL("PyThreadState_GetInterpreter", interpreter_of, 1),
    SYMBOL("PyInterpreterState_Main", main_interpreter, 1),
    SYMBOL("Py_AddPendingCall", add_pending_call, 1),
    SYMBOL("Py_AtExit", at_exit, 1),
    SYMBOL("Py_IncRef", incref, 1),
    SYMBOL("Py_DecRef", decref, 1),
    SYMBOL("_PyInterpreterState_GetEvalFrameFunc", get_evaluator, 1),
    SYMBOL("_PyInterpreterState_SetEvalFrameFunc", set_evaluator, 1),
    SYMBOL("_PyEval_EvalFrameDefault", default_evaluator, 1),
    SYMBOL("Py_CompileString", compile, 1),
    SYMBOL("PyEval_EvalCode", eval_code, 1),
    SYMBOL("PyDict_New", dict_new, 1),
    SYMBOL("PyDict_SetItemString", dict_set, 1),
    SYMBOL("PyCFunction_NewEx", c_function, 1),
    SYMBOL("PyErr_Fetch", error_fetch, 1),
    SYMBOL("PyErr_Restore", error_restore, 1),
    SYMBOL("PyExc_KeyboardInterrupt", keyboard_interrupt, 1),
    SYMBOL("PyErr_SetInterrupt", set_interrupt, 1),
    SYMBOL("PyThreadState_EnterTracing", enter_tracing, 0),
    SYMBOL("PyThreadState_LeaveTracing", leave_tracing, 0),
    SYMBOL("PyGC_Disable", gc_disable, 0),
    SYMBOL("PyGC_Enable", gc_enable, 0),
    SYMBOL("PyCFunction_Type", function_type, 0),
    SYMBOL("PyCMethod_Type", c_method_type, 0),
    SYMBOL("PyMethodDescr_Type", method_descriptor_type, 0),
    SYMBOL("PyClassMethodDescr_Type", class_method_descriptor_type, 0),
    SYMBOL("PyWrapperDescr_Type", wrapper_type, 0),
    SYMBOL("PyType_Type", type_type, 0),
    SYMBOL("PyUnicode_Type", text_type, 0),
    SYMBOL("PyList_Type", list_type, 0),
    SYMBOL("PyModule_Type", module_type, 0),
    SYMBOL("PyCapsule_Type", capsule_type, 0),
    SYMBOL("PyStaticMethod_Type", static_method_type, 0),
    SYMBOL("PyFunction_Type", python_function_type, 0),
    SYMBOL("PyMethod_Type", method_type, 0),
    SYMBOL("PyInstanceMethod_Type", instance_method_type, 0),
    SYMBOL("_Py_NoneStruct", none, 0),
    SYMBOL("PyUnicode_InternFromString", text_intern, 0),
    SYMBOL("_PyType_Lookup", type_lookup, 0),
    SYMBOL("PyType_GetFlags", type_flags, 0),
    SYMBOL("PyErr_Clear", error_clear, 0),
    SYMBOL("PyObject_GetAttrString", get_attribute, 0),
    SYMBOL("PyImport_AddModule", add_module, 0),
    SYMBOL("PyModule_GetDict", module_dict, 0),
    SYMBOL("PyDict_GetItemString", dict_get, 0),
    SYMBOL("PySys_GetObject", sys_get, 0),
    SYMBOL("PyObject_CallFunctionObjArgs", call_objects, 0),
    SYMBOL("PyLong_AsLong", long_as, 0),
    SYMBOL("PyLong_FromLong", long_from, 0),
    SYMBOL("PyObject_GenericGetAttr", generic_attribute, 0),
    SYMBOL("PyDict_Next", dict_next, 0),
    SYMBOL("PyEval_SetProfile", set_profile, 0),
    SYMBOL("PyEval_GetFrame", current_frame, 0),
    SYMBOL("PyMapping_GetItemString", map_get, 0),
};

static const char *missing; /* first needed symbol that is not there */

static void *lookup(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    if (!found)
        dlerror(); /* the program must not read our miss as its own */
    return found;
}

/* An embedder may have loaded libpython with RTLD_LOCAL: find the object by its name and ask that. */
static int find_object(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : 0, *base = slash ? slash + 1 : info->dlpi_name;
    if (!base || strncmp(base, "libpython3.", 11) != 0 || strncmp(base, "libpython3.so", 13) == 0)
        return 0;
    *(const char **)found = info->dlpi_name;
    return 1;
}

static void *python_object(void)
{
    if (lookup(RTLD_DEFAULT, "Py_IsInitialized"))
        return RTLD_DEFAULT;
    const char *name = 0;
    void *handle = 0;
    if (dl_iterate_phdr(find_object, &name) && name)
        handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY); /* one reference more: kept for good, as our pointers are */
    return handle && lookup(handle, "Py_IsInitialized") ? handle : (void *)-1;
}

bool python_find(void)
{
    void *handle = python_object();
    if (handle == (void *)-1)
        return false;
    for (uint32_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = lookup(handle, symbols[i].name);
        if (address)
            memcpy((char *)&ovh_py + symbols[i].at, &address, sizeof address);
        else if (symbols[i].needed && !missing)
            missing = symbols[i].name;
    }
    if (!ovh_py.current_thread_state && !missing)
        missing = "PyThreadState_GetUnchecked";
    return ovh_py.is_initialized != 0;
}

/* "3.11.7 (main, ..." -> 0x030b07; 0 where it does not read like that. */
static uint32_t version_number(const char *text)
{
    uint32_t version = 0;
    for (int part = 0; part < 3; part++) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);
        if (end == text || n > 255)
            return 0;
        version = version << 8 | (uint32_t)n;
        text = *end == '.' ? end + 1 : end;
    }
    return version;
}

static void tell_version(const char *text)
{
    char version[32] = "";
    size_t n = strcspn(text, " ");
    if (n >= sizeof version)
        n = sizeof version - 1;
    memcpy(version, text, n);
    ovh_define_value("python", version);
}

enum python_way python_decide(const char **why)
{
    *why = "symbols of CPython are missing";
    if (missing || !ovh_py.get_version)
        return PYTHON_NOTHING;
    const char *text = ovh_py.get_version();
    uint32_t version = version_number(text);
    tell_version(text);
    const char *asked = ovh_setting(OVH_SETTING_PYTHON_EVALUATOR);
    *why = "a free-threaded build: not supported";
    if (strstr(text, "free-threading") || !python_layout_choose(version >> 8, ovh_py.runtime, why))
        return PYTHON_NOTHING;
    if (strcmp(asked, "never") == 0) {
        *why = "OVH_PYTHON_EVALUATOR=never";
        return PYTHON_WALK;
    }
    if ((version == 0x030c00 || version == 0x030c01) && strcmp(asked, "always") != 0) {
        *why = "3.12.0 and 3.12.1 allow 1500 nested C calls, and a frame evaluator uses two per Python call";
        return PYTHON_WALK;
    }
    *why = 0;
    return PYTHON_EVALUATOR;
}
