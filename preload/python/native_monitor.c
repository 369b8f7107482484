/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_learn.h"

#include "preload/python/native.h"

static void *set_local_events, *disable, *tool, *call_event; /* sys.monitoring's */

/* The callback of sys.monitoring: (code, offset, callable, first argument). A site that calls Python functions may call C functions at
 * other times (`func(*args)`): it is asked four times, on average. */
static void *site_calls(void *self, void *const *args, intptr_t n)
{
    static uint32_t random;
    const char *callable = n > 2 ? args[2] : 0;
    bool again = callable && (native_is(callable, ovh_py.python_function_type) || native_is(callable, ovh_py.method_type)) &&
                 (random = random * 1664525u + 1013904223u) >> 30;
    if (callable)
        python_native_meet(callable);
    void *answer = again ? ovh_py.none : disable;
    ovh_py.incref(answer);
    return answer;
}

static struct native_method callback = {"ovh", site_calls, METHOD_FASTCALL, 0};

/* Tool 3 or 4: the others have names for debuggers, coverage, profilers and optimizers. */
static void *take_tool(void *monitoring)
{
    void *use = ovh_py.get_attribute(monitoring, "use_tool_id"), *name = ovh_py.text_intern("ovh"), *taken = 0;
    for (long id = 4; use && name && id >= 3 && !taken; id--) {
        void *number = ovh_py.long_from(id), *answer = number ? ovh_py.call_objects(use, number, name, (void *)0) : 0;
        if (answer) {
            ovh_py.decref(answer);
            taken = number;
        } else {
            ovh_py.error_clear(); /* in use */
            if (number)
                ovh_py.decref(number);
        }
    }
    if (name)
        ovh_py.decref(name);
    if (use)
        ovh_py.decref(use);
    return taken;
}

static bool monitor(void *monitoring)
{
    void *events = ovh_py.get_attribute(monitoring, "events"), *reg = ovh_py.get_attribute(monitoring, "register_callback");
    void *ours = ovh_py.c_function(&callback, 0, 0), *answer = 0;
    call_event = events ? ovh_py.get_attribute(events, "CALL") : 0;
    disable = ovh_py.get_attribute(monitoring, "DISABLE");
    set_local_events = ovh_py.get_attribute(monitoring, "set_local_events");
    if (reg && ours && call_event && disable && set_local_events)
        answer = ovh_py.call_objects(reg, tool, call_event, ours, (void *)0);
    void *mine[] = {events, reg, ours, answer};
    for (uint32_t i = 0; i < sizeof mine / sizeof *mine; i++)
        if (mine[i])
            ovh_py.decref(mine[i]);
    if (!answer)
        ovh_py.error_clear();
    return answer != 0;
}

const char *native_monitor_start(void)
{
    void *monitoring = ovh_py.sys_get("monitoring");
    if (!monitoring)
        return "there is no sys.monitoring";
    tool = take_tool(monitoring);
    if (!tool)
        return "other tools hold the numbers 3 and 4 of sys.monitoring";
    return monitor(monitoring) ? 0 : "sys.monitoring does not work";
}

void native_monitor_code(const char *code)
{
    void *answer = ovh_py.call_objects(set_local_events, tool, (void *)(uintptr_t)code, call_event, (void *)0);
    if (answer)
        ovh_py.decref(answer);
    else
        ovh_py.error_clear();
}
