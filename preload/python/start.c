/* SPDX-License-Identifier: Apache-2.0
 *
 * From the process's first hooked call to recorded frames: find the interpreter, decide what it allows, wait for a moment when we
 * may use its API, self-test, arm. Only the main interpreter; others are left alone.
 */
#include "preload/python/codes.h"
#include "preload/python/evaluator.h"
#include "preload/python/interpreter.h"
#include "preload/python/levels.h"
#include "preload/python/lines.h"
#include "preload/python/modules.h"
#include "preload/python/native.h"
#include "preload/python/python.h"
#include "preload/python/reserve.h"
#include "preload/python/selftest.h"
#include "preload/python/unit_watch.h"
#include "preload/python/walk.h"
#include "preload/writer/define.h"
#include "preload/writer/ladder.h"
#include "preload/writer/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

bool ovh_python_started, ovh_python_reads;
uint32_t ovh_python_instruction_offset, ovh_python_instruction_bytes = 8;

enum { ATTEMPTS = 3 };    /* at a self-test that an interrupt breaks off */
enum { LOOK_EVERY = 64 }; /* calls at the base of a thread between two looks at the evaluator's slot */

static enum python_way way;
static const char *walk_why;
static bool found, prepared, pending, stepped_back, inherited;
static uint32_t attempts, lives; /* of the interpreter that have ended */
static uint32_t starting;        /* one thread at a time; nobody waits */

/* In the child the slot still holds ours and all definitions are kept; recording itself begins at the child's first hooked call. */
static void forked(void)
{
    python_codes_forked();
    python_stacks_forked();
    python_evaluator_forked();
    pending = false;
    inherited = ovh_python_reads && way == PYTHON_EVALUATOR;
    if (inherited)
        __atomic_store_n(&ovh_python_started, false, __ATOMIC_RELAXED);
    __atomic_store_n(&starting, 0, __ATOMIC_RELAXED);
}

/* Nothing more to do: `how` and `why` go into the trace. */
static void settle(const char *how, const char *why)
{
    char text[256];
    if (why && ovh_units_state() == OVH_UNITS_WAITING && ovh_units_are_functions())
        ovh_units_impossible(why);
    snprintf(text, sizeof text, why ? "%s: %s" : "%s", how, why);
    ovh_define_value("python.frames", text);
    if (why && ovh_ladder_wanted() > 2)
        ovh_define_value("python.native", "none: Python frames are not recorded");
    if (why) {
        snprintf(text, sizeof text, "Python frames are not recorded (%s: %s)", how, why);
        ovh_note(text);
    }
    __atomic_store_n(&ovh_python_started, true, __ATOMIC_RELEASE);
}

static void begin_reading(void)
{
    ovh_python_instruction_offset = ovh_layout.frame_instruction;
    ovh_python_instruction_bytes = ovh_layout.instruction_bytes;
    __atomic_store_n(&ovh_python_reads, true, __ATOMIC_RELEASE);
}

static bool find_and_decide(void)
{
    const char *why;
    if (!python_find()) {
        __atomic_store_n(&ovh_python_started, true, __ATOMIC_RELEASE); /* a program without Python: nothing to say */
        if (ovh_units_state() == OVH_UNITS_WAITING && ovh_units_are_functions())
            ovh_units_impossible("there is no Python here, and OVH_UNIT names no range (nvtx:NAME)");
        return false;
    }
    way = python_decide(&why);
    if (way != PYTHON_NOTHING && ovh_ladder_wanted() < 2) {
        way = PYTHON_NOTHING;
        why = "OVH_DETAIL asks for less";
    }
    if (way == PYTHON_NOTHING) {
        settle("none", why);
        return false;
    }
    walk_why = why;
    pthread_atfork(0, 0, forked);
    found = true;
    return true;
}

/* Another evaluator is in the slot (torch.compile's while it compiles, a debugger's): try again at a later call. */
static bool slot_is_taken(void)
{
    if (way != PYTHON_EVALUATOR || ovh_py.get_evaluator(ovh_py.main_interpreter()) == ovh_py.default_evaluator)
        return false;
    if (!stepped_back)
        ovh_note(
            "another tool's frame evaluator was in place when recording began: Python frames are recorded from when it was gone");
    stepped_back = true;
    return true;
}

/* Py_FinalizeEx is through. A program that embeds CPython may begin again. */
static void ended(void)
{
    python_levels_ended();
    python_codes_ended();
    lives++;
    prepared = false;
    pending = inherited = false;
    __atomic_store_n(&ovh_python_reads, false, __ATOMIC_RELEASE);
    __atomic_store_n(&ovh_python_started, false, __ATOMIC_RELEASE);
}

/* Once, attached. False: not now, or never. */
static bool prepare(void)
{
    if (prepared)
        return true;
    const char *wrong = python_selftest(way);
    if (wrong && strcmp(wrong, PYTHON_SELFTEST_NOT_RUN) == 0 && ++attempts < ATTEMPTS)
        return false;
    if (!wrong && !(python_codes_start() && python_stacks_start()))
        wrong = "no memory";
    if (wrong) {
        settle("none", wrong);
        return false;
    }
    ovh_py.at_exit(ended);
    begin_reading();
    if (way == PYTHON_EVALUATOR && ovh_layout.tstate_credit)
        ovh_credit_floor = python_int(ovh_py.this_thread_state(), ovh_layout.tstate_credit) / 2;
    if (way == PYTHON_EVALUATOR)
        python_modules_start();
    return prepared = true;
}

/* This thread is attached to the main interpreter. */
static void start_attached(void)
{
    if (python_unit_is_watched() || slot_is_taken() || !prepare())
        return;
    bool awaited = ovh_units_state() == OVH_UNITS_WAITING && ovh_units_are_functions();
    if (awaited && way == PYTHON_WALK) {
        settle("walk", walk_why);
        return;
    }
    if (awaited && !python_unit_watch(ovh_py.this_thread_state()))
        return;
    bool native = way == PYTHON_EVALUATOR && !lives && ovh_ladder_wanted() > 2 && python_native_start();
    python_levels_start(way == PYTHON_WALK ? PYTHON_LEVELS_WALK : native ? PYTHON_LEVELS_NATIVE : PYTHON_LEVELS_FRAMES);
    if (lives == 1)
        ovh_note("the interpreter was ended and begun again: C functions called from Python are not recorded from there on");
    if (lives)
        __atomic_store_n(&ovh_python_started, true, __ATOMIC_RELEASE);
    else
        settle(way == PYTHON_WALK ? "walk" : "evaluator", way == PYTHON_WALK ? walk_why : 0);
}

/* In the child of a fork. Frames that it entered before its first hooked call were not recorded: look at all of them anew. */
static void resume_now(void)
{
    struct ovh_thread *t = ovh_self;
    if (t && t->depth == t->frame_depth) {
        t->frame = 0;
        t->base_frame = 1;
    }
    inherited = false;
    __atomic_store_n(&ovh_python_started, true, __ATOMIC_RELEASE);
}

/* The child was made while frames were not recorded. */
static void resume_attached(void)
{
    python_levels_restart();
    resume_now();
}

static bool take_turn(void)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(&starting, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void start_or_resume(void)
{
    ovh_ladder_await(true); /* the self-test may lose the interpreter's lock to a thread that launches */
    if (inherited)
        resume_attached();
    else
        start_attached();
    ovh_ladder_await(false);
}

/* A call that found !ovh_python_started may find no switch due any more, while another thread that made it says that all is started. */
static bool is_to_start(void)
{
    return !ovh_python_started && (inherited || !python_levels_are_offered());
}

/* Runs in the main thread's evaluation loop, attached. */
static int start_pending(void *unused)
{
    if (!take_turn())
        return 0;
    if (is_to_start() && python_attached_to_main())
        start_or_resume();
    pending = false;
    __atomic_store_n(&starting, 0, __ATOMIC_RELEASE);
    return 0;
}

bool ovh_python_start(void)
{
    if (python_levels_switch_due() || !take_turn())
        return ovh_python_started;
    int error = errno;
    if (inherited && python_levels_resume()) {
        resume_now();
    } else if (is_to_start() && (found || find_and_decide()) && ovh_py.is_initialized()) {
        if (python_attached_to_main())
            start_or_resume();
        else if (!pending)
            pending = ovh_py.add_pending_call(start_pending, 0) == 0;
    }
    bool started = ovh_python_started;
    __atomic_store_n(&starting, 0, __ATOMIC_RELEASE);
    errno = error;
    return started;
}

void ovh_python_at_base(struct ovh_thread *t)
{
    if (!ovh_py.is_initialized())
        return;
    const char *tstate = ovh_py.this_thread_state(), *top = tstate ? python_top_frame(tstate) : 0;
    if (way == PYTHON_WALK) {
        python_stack_write(t, top);
        return;
    }
    if (!(ovh_armed & OVH_ARM_FRAMES))
        return;
    python_frames_era_check(t);
    if (tstate && t->python_state++ % LOOK_EVERY == 0 && python_attached_to_main())
        python_evaluator_look();
    python_base_check(t, top, top ? python_frame_code(top) : 0);
    if (top && python_frame_instruction(top) != t->at)
        python_write_at(t, top, python_frame_instruction(top));
}
