/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/levels.h"

#include "preload/python/evaluator.h"
#include "preload/python/interpreter.h"
#include "preload/python/native.h"
#include "preload/python/python.h"
#include "preload/writer/arm.h"
#include "preload/writer/define.h"
#include "preload/writer/ladder.h"

#include <errno.h>

uint32_t ovh_frames_era;

static enum python_levels_way way;
static uint32_t level = 1; /* changed by attached threads only */
static uint32_t asked;     /* a pending call is under way */
static uint32_t urgent;    /* and took too long */
static bool offered;

/* Frames that are open now were not recorded: whoever records one next looks at what lies under it. */
static bool frames_on(void)
{
    if (level >= 2)
        return true;
    if (!python_evaluator_install())
        return false;
    __atomic_add_fetch(&ovh_frames_era, 1, __ATOMIC_RELEASE);
    ovh_arm(OVH_ARM_FRAMES);
    return true;
}

static void frames_off(void)
{
    ovh_disarm(OVH_ARM_FRAMES);
    python_evaluator_remove();
}

static uint32_t set_frames(uint32_t wanted)
{
    static bool told;
    if (wanted >= 2 && !frames_on()) {
        if (!told)
            ovh_note("another tool's frame evaluator is in place: Python frames are not recorded while it is");
        told = true;
        wanted = 1;
    }
    if (wanted < 3 && level >= 3)
        python_native_disarm();
    if (wanted < 2 && level >= 2)
        frames_off();
    if (wanted >= 3 && level < 3)
        python_native_arm();
    level = wanted;
    return wanted;
}

/* Walking changes nothing in the interpreter. */
static uint32_t set_walk(uint32_t wanted)
{
    if (wanted >= 2)
        ovh_arm(OVH_ARM_WALK);
    else
        ovh_disarm(OVH_ARM_WALK);
    level = wanted;
    return wanted;
}

static uint32_t level_now(void)
{
    return level;
}

static void not_due(void)
{
    if (__atomic_exchange_n(&urgent, 0, __ATOMIC_ACQ_REL))
        __atomic_store_n(&ovh_python_started, true, __ATOMIC_RELEASE);
}

/* Runs in the main thread's evaluation loop. */
static int switch_pending(void *unused)
{
    (void)unused;
    __atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
    not_due();
    if (python_attached_to_main())
        ovh_ladder_switch();
    return 0;
}

/* First by the main thread. Asked again: it sits in a long call (joins a thread that does the work), so by whoever comes by. */
static void ask(void)
{
    int error = errno;
    if (!__atomic_exchange_n(&asked, 1, __ATOMIC_ACQ_REL)) {
        if (!ovh_py.is_initialized() || ovh_py.add_pending_call(switch_pending, 0))
            __atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n(&urgent, 1, __ATOMIC_RELEASE);
        __atomic_store_n(&ovh_python_started, false, __ATOMIC_RELEASE);
    }
    errno = error;
}

bool python_levels_switch_due(void)
{
    if (!__atomic_load_n(&urgent, __ATOMIC_ACQUIRE))
        return false;
    if (python_attached_to_main()) {
        not_due();
        ovh_ladder_switch_in_call(ovh_self);
    }
    return true;
}

static struct ovh_ladder_python levels = {.ask = ask, .set = set_frames, .now = level_now};

void python_levels_start(enum python_levels_way the_way)
{
    way = the_way;
    offered = true;
    levels.top = way == PYTHON_LEVELS_NATIVE ? 3 : 2;
    if (way == PYTHON_LEVELS_WALK) {
        levels.ask = 0;
        levels.set = set_walk;
    }
    ovh_ladder_offer(&levels);
}

bool python_levels_are_offered(void)
{
    return offered;
}

uint32_t python_levels_set(uint32_t wanted)
{
    return levels.set(wanted);
}

void python_levels_ended(void)
{
    ovh_disarm(OVH_ARM_FRAMES | OVH_ARM_NATIVE | OVH_ARM_WALK);
    python_evaluator_ended();
    python_native_ended();
    level = 1;
    asked = urgent = 0;
    offered = false;
}

bool python_levels_resume(void)
{
    asked = urgent = 0;
    if (level < 2 && ovh_ladder_wanted() >= 2)
        return false;
    if (way != PYTHON_LEVELS_WALK)
        ovh_arm((level >= 2 ? OVH_ARM_FRAMES : 0) | (level >= 3 ? OVH_ARM_NATIVE : 0));
    return true;
}

void python_levels_restart(void)
{
    ovh_ladder_offer(&levels);
}
