/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_check.h"

#include "preload/python/native.h"
#include "preload/python/native_cache.h"
#include "preload/python/native_call.h"
#include "preload/python/native_learn.h"
#include "preload/python/native_names.h"
#include "preload/python/native_slots.h"
#include "preload/writer/define.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum seen { BY_SLOT, BY_CALL, BY_POINTER, SEEN_WAYS, UNSEEN = SEEN_WAYS, NOT_C };
enum { NAMES = 8 };

static uint32_t checked, seen[SEEN_WAYS], n_names;
static struct {
    const char *key;
    char text[64];
    uint32_t n;
} names[NAMES]; /* of unseen ones; the last is all others */
static bool begun;

/* Called by an instruction of its own where it has one argument, which looks at nothing that could be changed. */
static bool has_own_instruction(const char *type)
{
    const char *name = python_pointer(type, TYPE_NAME);
    return ovh_layout.version >= 0x030b && !(native_flags(type) & TYPE_IS_HEAP) &&
           (strcmp(name, "str") == 0 || strcmp(name, "tuple") == 0 || strcmp(name, "type") == 0);
}

static enum seen of_class(const char *type)
{
    if (has_own_instruction(type))
        return UNSEEN;
    if (native_slot_known(type))
        return BY_SLOT;
    if (!native_call_covers(native_type(type)))
        return UNSEEN;
    /* 3.13 calls the __init__ of a class of Python past type.__call__ */
    const char *init = ovh_layout.version >= 0x030d ? native_attribute(type, "__init__") : 0;
    return init && native_is(init, ovh_py.python_function_type) ? NOT_C : BY_CALL;
}

static bool is_special(const char *callable)
{
    const char *name = native_is(callable, ovh_py.function_type)            ? native_method(callable, FUNCTION_METHOD)->name
                       : native_is(callable, ovh_py.method_descriptor_type) ? native_method(callable, DESCRIPTOR_METHOD)->name
                                                                            : 0;
    return name && ovh_layout.version >= 0x030b && native_slot_known(callable) &&
           (strcmp(name, "isinstance") == 0 || strcmp(name, "len") == 0 ||
            (strcmp(name, "append") == 0 && python_pointer(callable, DESCRIPTOR_TYPE) == (const char *)ovh_py.list_type));
}

static enum seen how(const char *callable);

/* Before 3.12 the profile function is shown a bound method in place of the descriptor that is called. */
static enum seen of_function(const char *function)
{
    if (native_slot_known(function))
        return BY_SLOT;
    if (!python_pointer(function, FUNCTION_VECTORCALL))
        return BY_CALL;
    const char *self = python_pointer(function, FUNCTION_SELF);
    if (ovh_layout.version >= 0x030c || !self || native_is_type(self))
        return UNSEEN;
    const char *descriptor = native_attribute(native_type(self), native_method(function, FUNCTION_METHOD)->name);
    if (!descriptor || !native_slot_known(descriptor))
        return UNSEEN;
    return is_special(descriptor) ? how(descriptor) : BY_SLOT;
}

static enum seen how(const char *callable)
{
    if (native_is(callable, ovh_py.python_function_type))
        return NOT_C;
    if (is_special(callable))
        return native_cache_works() ? BY_POINTER : UNSEEN;
    if (native_is(callable, ovh_py.function_type) || native_is(callable, ovh_py.c_method_type))
        return of_function(callable);
    if (native_is_type(callable))
        return of_class(callable);
    if (native_slot_known(callable))
        return BY_SLOT;
    const char *type = native_type(callable), *call = native_attribute(type, "__call__");
    if (native_call_covers(type))
        return BY_CALL;
    return call && native_is(call, ovh_py.python_function_type) ? NOT_C : UNSEEN;
}

/* What has the same name, without asking for it. */
static const char *key_of(const char *callable)
{
    if (native_is(callable, ovh_py.function_type))
        return (const char *)native_method(callable, FUNCTION_METHOD);
    return native_is_type(callable) || native_is(callable, ovh_py.method_descriptor_type) ? callable : native_type(callable);
}

static void count_unseen(const char *callable)
{
    struct native_name name;
    const char *key = key_of(callable);
    uint32_t i = 0;
    while (i < n_names && names[i].key != key)
        i++;
    if (i == n_names && n_names < NAMES) {
        native_name_of(native_is_type(callable) ? NATIVE_TYPE : NATIVE_FUNCTION, callable, &name);
        snprintf(names[i].text, sizeof names[i].text, "%.*s", (int)sizeof names[i].text - 1, i == NAMES - 1 ? "others" : name.text);
        names[i].key = key;
        n_names++;
    }
    names[i < NAMES ? i : NAMES - 1].n++;
}

static void tell(void)
{
    static const char *const ways[SEEN_WAYS] = {"slot", "tp_call", "pointer"};
    char text[96];
    for (uint32_t i = 0; i < SEEN_WAYS; i++) {
        snprintf(text, sizeof text, "native %s", ways[i]);
        ovh_define_coverage(0, 0, seen[i], 0, text);
    }
    for (uint32_t i = 0; i < n_names; i++) {
        snprintf(text, sizeof text, "native unseen %.63s", names[i].text);
        ovh_define_coverage(0, 1, 0, names[i].n, text);
    }
}

bool native_check_call(const char *callable)
{
    if (checked == NATIVE_CHECKED)
        return false;
    if (native_is(callable, ovh_py.method_type) || native_is(callable, ovh_py.instance_method_type))
        callable = python_pointer(callable, BOUND_FUNCTION);
    python_native_meet(callable);
    enum seen way = how(callable);
    if (way == NOT_C)
        return true;
    if (way == UNSEEN)
        count_unseen(callable);
    else
        seen[way]++;
    if (++checked == NATIVE_CHECKED)
        tell();
    return checked < NATIVE_CHECKED;
}

void native_check_begin(void)
{
    if (begun)
        return;
    begun = true;
    int error = errno;
    if (ovh_layout.version >= 0x030c)
        native_monitor_check();
    else
        native_profile_check();
    errno = error;
}
