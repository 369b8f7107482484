/* SPDX-License-Identifier: Apache-2.0
 *
 * Before 3.12. A profile function is told of calls of C functions, not of classes: of those, the built-in ones are taken as met.
 */
#include "preload/python/native.h"
#include "preload/python/native_check.h"
#include "preload/python/native_learn.h"

enum { EVENTS = 500 };                     /* after the last new function; a program's main function may never return */
enum { CALL = 0, RETURN = 3, C_CALL = 4 }; /* PyTrace_... */

/* What this file keeps in ovh_thread.python_scratch. */
enum { LEARN_FRAMES = 2, LEARN_LEFT = 3 };
#define NEVER_RETURNS (1ull << 32)
#define NO_END (1ull << 32)
static struct ovh_thread *checking; /* the thread that a check watches */

static int profile(void *object, void *frame, int what, void *argument)
{
    struct ovh_thread *t = ovh_self;
    if (!t)
        return 0;
    if (what == C_CALL && argument && t != checking) {
        python_native_meet(argument);
    } else if (what == C_CALL && argument && !native_check_call(argument)) {
        checking = 0;
        t->python_scratch[LEARN_LEFT] = 1;
    }
    uint64_t *frames = &t->python_scratch[LEARN_FRAMES], *left = &t->python_scratch[LEARN_LEFT];
    *frames += what == CALL;
    *frames -= what == RETURN && *frames;
    *left -= *left > 0;
    if (!*left || (what == RETURN && !*frames)) {
        *frames = *left = 0;
        ovh_py.set_profile(0, 0);
    }
    return 0;
}

void native_profile_code(bool entering)
{
    struct ovh_thread *t = ovh_self;
    const char *tstate = ovh_py.this_thread_state(), *there = tstate ? python_pointer(tstate, ovh_layout.tstate_profile) : 0;
    if (!t || !tstate || (there && there != (const char *)(uintptr_t)profile))
        return; /* a profiler of the program's stays in its place */
    if (t == checking)
        return;
    t->python_scratch[LEARN_LEFT] = EVENTS;
    if (!entering)
        t->python_scratch[LEARN_FRAMES] = NEVER_RETURNS;
    if (!there) {
        if (entering)
            t->python_scratch[LEARN_FRAMES] = 0;
        ovh_py.set_profile(profile, 0);
    }
}

void native_profile_check(void)
{
    native_profile_code(false);
    struct ovh_thread *t = ovh_self;
    if (t && t->python_scratch[LEARN_LEFT] == EVENTS) {
        t->python_scratch[LEARN_LEFT] = NO_END;
        checking = t;
    }
}

const char *native_profile_start(void)
{
    static const char *const classes[] = {"bool",      "bytes", "bytearray", "complex", "dict",   "enumerate", "filter",   "float",
                                          "frozenset", "int",   "list",      "map",     "object", "range",     "reversed", "set",
                                          "slice",     "str",   "super",     "tuple",   "type",   "zip"};
    void *dict = ovh_py.module_dict(ovh_py.add_module("builtins"));
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const char *class_ = ovh_py.dict_get(dict, classes[i]);
        if (class_ && native_is_type(class_))
            python_native_meet(class_);
    }
    return ovh_layout.tstate_profile ? 0 : "the profile function's place is not known";
}
