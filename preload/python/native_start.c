/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native.h"
#include "preload/python/native_cache.h"
#include "preload/python/native_calibrate.h"
#include "preload/python/native_call.h"
#include "preload/python/native_learn.h"
#include "preload/python/native_record.h"
#include "preload/python/native_selftest.h"
#include "preload/python/native_slots.h"
#include "preload/python/selftest.h"
#include "preload/writer/arm.h"
#include "preload/writer/define.h"

#include <stdio.h>
#include <string.h>

static bool works;

/* All that the hooks use and interpreter.c found or did not. */
static bool symbols_are_there(void)
{
    const void *const needed[] = {ovh_py.function_type,
                                  ovh_py.c_method_type,
                                  ovh_py.method_descriptor_type,
                                  ovh_py.wrapper_type,
                                  ovh_py.none,
                                  ovh_py.class_method_descriptor_type,
                                  ovh_py.type_type,
                                  ovh_py.text_type,
                                  ovh_py.list_type,
                                  ovh_py.module_type,
                                  ovh_py.capsule_type,
                                  ovh_py.static_method_type,
                                  ovh_py.python_function_type,
                                  ovh_py.method_type,
                                  ovh_py.instance_method_type};
    for (uint32_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i])
            return false;
    return ovh_py.text_intern && ovh_py.type_lookup && ovh_py.type_flags && ovh_py.error_clear && ovh_py.get_attribute &&
           ovh_py.add_module && ovh_py.module_dict && ovh_py.dict_get && ovh_py.sys_get && ovh_py.call_objects && ovh_py.long_as &&
           ovh_py.long_from && ovh_py.set_profile && ovh_py.current_frame && ovh_py.map_get;
}

/* 3.13 exports the type no more. */
static bool find_method_wrapper(void *append)
{
    void *wrapper = ovh_py.get_attribute(append, "__call__");
    if (!wrapper)
        return false;
    ovh_py.method_wrapper_type = (void *)(uintptr_t)native_type(wrapper);
    ovh_py.decref(wrapper);
    return strcmp(python_pointer(ovh_py.method_wrapper_type, TYPE_NAME), "method-wrapper") == 0;
}

static const char *find_and_test(void)
{
    void *builtins = ovh_py.add_module("builtins"), *dict = builtins ? ovh_py.module_dict(builtins) : 0;
    const char *isinstance = dict ? ovh_py.dict_get(dict, "isinstance") : 0, *len = dict ? ovh_py.dict_get(dict, "len") : 0;
    void *append = ovh_py.get_attribute(ovh_py.list_type, "append");
    if (!isinstance || !len || !append || !find_method_wrapper(append))
        return "builtins are not what they should be";
    const char *wrong = native_selftest(isinstance, append);
    if (!wrong && !native_cache_start(isinstance, len, append))
        ovh_note("calls of isinstance, len and list.append are not recorded: the interpreter's pointers to them are not where they "
                 "should be");
    if (!wrong)
        wrong = ovh_layout.version >= 0x030c ? native_monitor_start() : native_profile_start();
    if (!wrong) {
        native_call_start();
        python_native_meet(isinstance);
        python_native_meet(len);
        python_native_meet(append);
        native_calibrate();
    }
    ovh_py.decref(append);
    return wrong;
}

static bool find_hidden(void *wrong)
{
    *(const char **)wrong = find_and_test();
    ovh_py.error_clear();
    return true;
}

bool python_native_start(void)
{
    const char *wrong = 0;
    if (!symbols_are_there())
        wrong = "symbols of CPython are missing";
    else
        python_run_hidden(find_hidden, &wrong);
    works = !wrong;
    char text[192];
    snprintf(text, sizeof text, "%s%s%s", works ? "slots" : "none", works ? "" : ": ", works ? "" : wrong);
    ovh_define_value("python.native", text);
    if (!works) {
        snprintf(text, sizeof text, "C functions called from Python are not recorded (%s)", wrong);
        ovh_note(text);
    }
    return works;
}

void python_native_arm(void)
{
    if (!works)
        return;
    native_slots_arm();
    native_call_arm();
    native_cache_arm();
    ovh_arm(OVH_ARM_NATIVE);
}

void python_native_disarm(void)
{
    if (!works)
        return;
    ovh_disarm(OVH_ARM_NATIVE);
    native_cache_disarm();
    native_call_disarm();
    native_slots_disarm();
}

void python_native_ended(void)
{
    works = false;
}

void python_native_code(const char *code, bool entering)
{
    struct ovh_thread *t = ovh_self;
    if (!works)
        return;
    uint32_t busy = entering ? native_pause(t) : 0; /* else open frames are just being told */
    if (ovh_layout.version >= 0x030c)
        native_monitor_code(code);
    else
        native_profile_code(entering);
    native_go_on(t, busy);
}

void native_leave_unknown(struct ovh_thread *t, uint32_t depth)
{
    if (t->depth > depth)
        ovh_unwind(t, depth);
    t->frame = 0;
    t->frame_depth = t->depth;
    t->base_frame = 1;
}
