/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/unit_watch.h"

#include "preload/python/evaluator.h"
#include "preload/python/interpreter.h"
#include "preload/python/python.h"
#include "preload/python/reserve.h"
#include "preload/python/text.h"
#include "preload/writer/arm.h"
#include "preload/writer/record.h"
#include "preload/writer/stop.h"
#include "preload/writer/units.h"

/* Which code objects are units, by address. No references are held: name and line tell whether it still is the same. Attached
 * threads only. */
enum { KNOWN = 4096, NAME_BYTES = 1024 };
static struct known {
    const char *code, *name;
    int32_t first_line;
    bool unit;
} known[KNOWN];

/* The last unit: while its frame is about to be evaluated the thread's stack floor is at the top, which leads to evaluate_deep. */
static struct {
    struct ovh_thread *thread;
    uint64_t floor;
} last;

/* The unit's frame is entered, and recording begins with it. */
static void *begin(void *tstate, void *frame, int throwflag)
{
    void *interpreter = ovh_py.main_interpreter();
    ovh_py.set_evaluator(interpreter, ovh_py.default_evaluator);
    if ((ovh_self || ovh_thread_start()) && !ovh_python_started)
        ovh_python_start();
    python_evaluator *now = ovh_py.get_evaluator(interpreter);
    return (now == python_evaluator_ours() ? now : ovh_py.default_evaluator)(tstate, frame, throwflag);
}

static OVH_COLD bool look_up(struct known *k, const char *code)
{
    static char name[NAME_BYTES];
    *k = (struct known){code, python_pointer(code, ovh_layout.code_name), python_int(code, ovh_layout.code_first_line), false};
    python_text(k->name, name, sizeof name);
    return k->unit = ovh_unit_is_function(name);
}

static inline bool is_unit(const char *code)
{
    struct known *k = &known[((uintptr_t)code >> 4) * 0x9e3779b97f4a7c15ull >> 52];
    bool same = k->code == code && k->name == python_pointer(code, ovh_layout.code_name) &&
                k->first_line == python_int(code, ovh_layout.code_first_line);
    return ovh_likely(same) ? k->unit : look_up(k, code);
}

static void *watch(void *tstate, void *frame, int throwflag)
{
    if (ovh_unlikely(is_unit(python_frame_code(frame))) && ovh_units_state() == OVH_UNITS_WAITING && ovh_unit_is_awaited())
        return begin(tstate, frame, throwflag);
    return ovh_py.default_evaluator(tstate, frame, throwflag);
}

/* Is a unit open in this thread? It counts as one; no frame of it will be entered. */
static bool is_open(const char *tstate)
{
    for (const char *frame = python_top_frame(tstate); frame; frame = python_frame_back(frame))
        if (is_unit(python_frame_code(frame)))
            return true;
    return false;
}

bool python_unit_is_watched(void)
{
    return ovh_py.get_evaluator(ovh_py.main_interpreter()) == watch;
}

bool python_unit_watch(const char *tstate)
{
    if (is_open(tstate) && ovh_unit_is_awaited()) {
        ovh_unit_begins();
        return true;
    }
    ovh_py.set_evaluator(ovh_py.main_interpreter(), watch);
    ovh_disarm(OVH_ARM_CUDA);
    return false;
}

void python_unit_entered(void)
{
    struct ovh_thread *t = ovh_self;
    if (ovh_units_state() != OVH_UNITS_RECORDING || !t || !t->chunk)
        return;
    switch (ovh_unit_begins()) {
    case OVH_UNIT_INSIDE:
        break;
    case OVH_UNIT_LAST:
        last.thread = t;
        last.floor = t->python_scratch[PYTHON_STACK_FLOOR];
        t->python_scratch[PYTHON_STACK_FLOOR] = UINT64_MAX;
        break;
    case OVH_UNIT_BEHIND: /* the last one was open before we came */
        if (!last.thread)
            ovh_stop_with_next_event(t);
        break;
    }
}

bool python_unit_is_last(const struct ovh_thread *t)
{
    return t == last.thread && t->python_scratch[PYTHON_STACK_FLOOR] == UINT64_MAX;
}

void *python_unit_evaluate_last(struct ovh_thread *t, void *tstate, void *frame, int throwflag)
{
    t->python_scratch[PYTHON_STACK_FLOOR] = last.floor;
    void *result = ovh_py.default_evaluator(tstate, frame, throwflag);
    ovh_stop_with_next_event(t); /* which is this frame's leave */
    return result;
}

static void watch_functions(void)
{
    ovh_python_start();
}

__attribute__((constructor)) static void offer(void)
{
    ovh_units_watch_functions = watch_functions;
}
