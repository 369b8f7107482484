/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native.h"
#include "preload/python/native_check.h"
#include "preload/python/native_learn.h"
#include "preload/writer/random.h"

static void *monitoring, *set_local_events, *set_events, *disable, *tool, *call_event; /* sys.monitoring's */
static void *check_tool;                                                               /* while a check is under way */

/* The callback of sys.monitoring: (code, offset, callable, first argument). A site that calls Python functions may call C functions
 * at other times (`func(*args)`): it is asked four times, on average. */
static void *site_calls(void *self, void *const *args, intptr_t n)
{
    static uint32_t random;
    const char *callable = n > 2 ? args[2] : 0;
    bool again = callable && (native_is(callable, ovh_py.python_function_type) || native_is(callable, ovh_py.method_type)) &&
                 ovh_random(&random) >> 30;
    if (callable)
        python_native_meet(callable);
    void *answer = again ? ovh_py.none : disable;
    ovh_py.incref(answer);
    return answer;
}

static struct native_method callback = {"ovh", site_calls, METHOD_FASTCALL, 0};

/* Results of calls that matter only as a sign that it worked. */
static bool done(void *answer)
{
    if (answer)
        ovh_py.decref(answer);
    else
        ovh_py.error_clear();
    return answer != 0;
}

static bool done_events(void *of_tool, long events)
{
    void *number = ovh_py.long_from(events);
    bool worked = number && done(ovh_py.call_objects(set_events, of_tool, number, (void *)0));
    if (number)
        ovh_py.decref(number);
    return worked;
}

/* The numbers of tools are few: they are given back. */
static void end_check(void)
{
    done_events(check_tool, 0);
    void *give_back = ovh_py.get_attribute(monitoring, "free_tool_id");
    if (give_back && done(ovh_py.call_objects(give_back, check_tool, (void *)0)))
        check_tool = 0;
    if (give_back)
        ovh_py.decref(give_back);
}

static void *site_checked(void *self, void *const *args, intptr_t n)
{
    if (check_tool && n > 2 && !native_check_call(args[2]))
        end_check();
    ovh_py.incref(ovh_py.none);
    return ovh_py.none;
}

/* Tool 3 or 4: the others have names for debuggers, coverage, profilers and optimizers. */
static void *take_tool(void)
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

static bool call_back(void *of_tool, struct native_method *with)
{
    void *reg = ovh_py.get_attribute(monitoring, "register_callback"), *ours = ovh_py.c_function(with, 0, 0);
    bool worked = reg && ours;
    if (worked) {
        void *before = ovh_py.call_objects(reg, of_tool, call_event, ours, (void *)0);
        worked = done(before);
    }
    if (reg)
        ovh_py.decref(reg);
    if (ours)
        ovh_py.decref(ours);
    return worked;
}

static bool find_parts(void)
{
    void *events = ovh_py.get_attribute(monitoring, "events");
    call_event = events ? ovh_py.get_attribute(events, "CALL") : 0;
    disable = ovh_py.get_attribute(monitoring, "DISABLE");
    set_events = ovh_py.get_attribute(monitoring, "set_events");
    set_local_events = ovh_py.get_attribute(monitoring, "set_local_events");
    if (events)
        ovh_py.decref(events);
    return call_event && disable && set_events && set_local_events;
}

const char *native_monitor_start(void)
{
    monitoring = ovh_py.sys_get("monitoring");
    if (!monitoring || !find_parts())
        return "there is no sys.monitoring";
    tool = take_tool();
    if (!tool)
        return "other tools hold the numbers 3 and 4 of sys.monitoring";
    ovh_py.incref(monitoring);
    return call_back(tool, &callback) ? 0 : "sys.monitoring does not work";
}

void native_monitor_code(const char *code)
{
    done(ovh_py.call_objects(set_local_events, tool, (void *)(uintptr_t)code, call_event, (void *)0));
}

/* With another tool's number: sites that have answered the first one stay silent to it. */
void native_monitor_check(void)
{
    static struct native_method check_callback = {"ovh", site_checked, METHOD_FASTCALL, 0};
    check_tool = take_tool();
    if (check_tool && !(call_back(check_tool, &check_callback) && done_events(check_tool, ovh_py.long_as(call_event))))
        end_check();
}
