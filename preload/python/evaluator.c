/* SPDX-License-Identifier: Apache-2.0
 *
 * PEP 523: the interpreter calls us for every Python frame, of every thread of the main interpreter. Budget: 45 ns per call and
 * return over an interpreter without us, of which half is the interpreter's own (it stops inlining Python calls) and two clock
 * readings 15.
 *
 * We always call _PyEval_EvalFrameDefault, never an evaluator found in the slot: torch.compile's chains to us, and would be called
 * by itself for ever. A leave whose enter was written is always written, whatever happened meanwhile.
 */
#include "preload/python/evaluator.h"

#include "preload/python/codes.h"
#include "preload/python/modules.h"
#include "preload/python/python.h"
#include "preload/python/reserve.h"
#include "preload/python/unit_watch.h"
#include "preload/python/walk.h"
#include "preload/writer/define.h"
#include "preload/writer/record.h"
#include "preload/writer/short_calls.h"

#include <pthread.h>

enum { FRAMES_WANTED = 1, SUSPENDED = 2, REPLACED = 4 };
static uint32_t state;      /* changed by attached threads only */
static pthread_t suspender; /* the thread that set SUSPENDED */

/* The stack is deep: for the time of this frame the interpreter does without us, and inlines calls again. */
static OVH_COLD void *evaluate_deep(void *tstate, void *frame, int throwflag)
{
    if (python_unit_is_last(ovh_self))
        return python_unit_evaluate_last(ovh_self, tstate, frame, throwflag);
    void *interpreter = ovh_py.main_interpreter();
    bool ours = !(state & SUSPENDED) && ovh_py.get_evaluator(interpreter) == python_evaluator_ours();
    if (ours) {
        state |= SUSPENDED;
        suspender = pthread_self();
        ovh_py.set_evaluator(interpreter, ovh_py.default_evaluator);
        ovh_lost(OVH_LOSS_DEPTH, 1, "Python calls so deep in the C stack that what they call is not recorded");
    }
    void *result = ovh_py.default_evaluator(tstate, frame, throwflag);
    if (ours) {
        state &= ~(uint32_t)SUSPENDED;
        if (state & FRAMES_WANTED && ovh_py.is_initialized() && ovh_py.get_evaluator(interpreter) == ovh_py.default_evaluator)
            ovh_py.set_evaluator(interpreter, python_evaluator_ours());
    }
    return result;
}

/* Outermost recorded frame of a thread: tell what is open under it. */
static void enter_base(struct ovh_thread *t, const char *tstate)
{
    if (ovh_unlikely(!t->python_scratch[PYTHON_STACK_FLOOR]))
        python_reserve_start(t);
    if (t->depth == t->frame_depth) {
        const char *top = python_top_frame(tstate);
        python_base_check(t, top, top ? python_frame_code(top) : 0);
    }
}

/* The frame that leaves is not the one that came last: something switches C stacks (greenlet). What is open is no longer known
 * from our side; the next frame or call at this level looks at the interpreter's frames. */
static OVH_COLD void leave_base_unknown(struct ovh_thread *t)
{
    t->frame = 0;
    t->frame_depth = t->depth;
    t->base_frame = 1;
}

/* A call of a function that has proved short, counted and not timed. What is recorded in it after all stands under its caller. */
static inline void *evaluate_counted(struct ovh_thread *t, struct python_hot_code *hot, void *tstate, void *frame, int throwflag)
{
    const uint32_t *next = t->next;
    ovh_end(t);
    void *result = ovh_py.default_evaluator(tstate, frame, throwflag);
    if (ovh_unlikely(t->next != next))
        hot->short_calls = 0;
    return result;
}

/* Another code object may have taken the hot place meanwhile. The calls of one that is a module's or a unit's are never only counted: its
 * id stands there with more bits, or not at all. */
static inline void leave(struct ovh_thread *t, uint32_t depth, bool failed, struct python_hot_code *hot, struct ovh_short_span entered)
{
    uint32_t id = t->open[depth % OVH_DEPTH];
    ovh_leave(t, depth, failed);
    if (ovh_likely(hot->id == id))
        ovh_short_span_left(t, entered, &hot->short_calls);
}

static inline __attribute__((always_inline)) void *evaluate(void *tstate, void *frame, int throwflag, uint32_t code_at, bool credit,
                                                            bool tagged)
{
    struct ovh_thread *t = ovh_begin(OVH_ARM_FRAMES);
    if (ovh_unlikely(!t))
        return ovh_py.default_evaluator(tstate, frame, throwflag);
    const char *code = tagged ? python_frame_code(frame) : python_pointer(frame, code_at);
    struct python_hot_code *hot = python_hot_code_place(code);
    uint32_t id = python_code_id(code, hot);
    python_frames_era_check(t);
    if (!t->frame)
        enter_base(t, tstate);
    const char *caller = t->frame;
    uint32_t caller_depth = t->frame_depth;
    bool deep = (uintptr_t)__builtin_frame_address(0) < t->python_scratch[PYTHON_STACK_FLOOR] ||
                (credit && python_int(tstate, ovh_layout.tstate_credit) < ovh_credit_floor);
    if (hot->short_calls == OVH_SHORT_IN_A_ROW && !deep && t->frame && ovh_short_step_counted(t, OVH_SHORT_IN_A_ROW, id))
        return evaluate_counted(t, hot, tstate, frame, throwflag);
    uint32_t depth = ovh_enter(t, id & PYTHON_CODE_ID);
    struct ovh_short_span entered = ovh_short_span_entered(t);
    if (ovh_unlikely(id > PYTHON_CODE_ID))
        python_module_frame(t, id, depth, frame);
    t->frame = frame;
    t->frame_depth = depth + 1;
    t->at = 0;
    ovh_end(t);
    void *result =
        ovh_unlikely(deep) ? evaluate_deep(tstate, frame, throwflag) : ovh_py.default_evaluator(tstate, frame, throwflag);
    ovh_resume(t);
    bool in_order = t->frame == frame;
    if (ovh_likely(t->depth > depth)) /* else frames were told anew meanwhile, without the C functions between them */
        leave(t, depth, !result, hot, entered);
    t->frame = caller;
    t->frame_depth = caller_depth;
    t->at = 0; /* the caller has moved on */
    if (ovh_unlikely(!in_order))
        leave_base_unknown(t);
    ovh_end(t);
    return result;
}

/* The frame's code object: at 32 in PyFrameObject (3.9, 3.10) and in 3.11's frame, at 0 from 3.12 on. In 3.12 and 3.13
 * those calls also use credit; from 3.14 on the interpreter looks at the C stack itself, and the word is tagged. */
static void *evaluate_39_to_311(void *tstate, void *frame, int throwflag)
{
    return evaluate(tstate, frame, throwflag, 32, false, false);
}

static void *evaluate_312_313(void *tstate, void *frame, int throwflag)
{
    return evaluate(tstate, frame, throwflag, 0, true, false);
}

static void *evaluate_314_on(void *tstate, void *frame, int throwflag)
{
    return evaluate(tstate, frame, throwflag, 0, false, true);
}

python_evaluator *python_evaluator_ours(void)
{
    return ovh_layout.version < 0x030c ? evaluate_39_to_311 : ovh_layout.version < 0x030e ? evaluate_312_313 : evaluate_314_on;
}

bool python_evaluator_install(void)
{
    void *interpreter = ovh_py.main_interpreter();
    if (ovh_py.get_evaluator(interpreter) != ovh_py.default_evaluator)
        return false;
    state |= FRAMES_WANTED;
    ovh_py.set_evaluator(interpreter, python_evaluator_ours());
    return true;
}

void python_evaluator_remove(void)
{
    void *interpreter = ovh_py.main_interpreter();
    state &= ~(uint32_t)FRAMES_WANTED;
    if (ovh_py.get_evaluator(interpreter) == python_evaluator_ours())
        ovh_py.set_evaluator(interpreter, ovh_py.default_evaluator);
}

void python_evaluator_ended(void)
{
    state = 0;
}

void python_evaluator_forked(void)
{
    if (state & SUSPENDED && !pthread_equal(suspender, pthread_self()))
        state &= ~(uint32_t)SUSPENDED;
}

void python_evaluator_look(void)
{
    if (!(state & FRAMES_WANTED) || state & SUSPENDED)
        return;
    python_evaluator *now = ovh_py.get_evaluator(ovh_py.main_interpreter());
    if (now == python_evaluator_ours() || state & REPLACED)
        return;
    if (now == ovh_py.default_evaluator) {
        python_evaluator_install();
    } else {
        state |= REPLACED;
        ovh_note("another tool put its own frame evaluator over ovh's: Python frames that it does not hand on are missing");
    }
}
