/* SPDX-License-Identifier: Apache-2.0
 *
 * The ladder of detail (DESIGN section 3): recording alternates between the lowest level, which costs next to nothing and tells the
 * unprofiled time, and short windows at the other levels, in random order. A window is so many repetitions of the program's launches;
 * how long the windows of the lowest level last follows from what the others were seen to cost, and OVH_BUDGET.
 *
 *     launch -> count down -> window is over -> (Python) pending call -> switch, WINDOW record -> next window
 *
 * Levels of Python are switched only by a thread that is attached to the interpreter and in its evaluation loop: there no call of ours is
 * half done. Levels of CUDA calls are switched anywhere. A hook that wrote an enter writes the leave, whatever the level is by then.
 */
#ifndef OVH_WRITER_LADDER_H
#define OVH_WRITER_LADDER_H

#include "preload/writer/repetition.h"

/* What the interpreter's side offers. */
struct ovh_ladder_python {
    uint32_t top;              /* the highest level it can do: 2 or 3 */
    /* Have ovh_ladder_switch called soon by an attached thread; again and again until it was. Keeps errno. NULL: `set` may be called by
     * any thread, anywhere. */
    void (*ask)(void);
    uint32_t (*set)(uint32_t); /* level asked for -> level reached. Attached */
    uint32_t (*now)(void);     /* the level that the interpreter's hooks are at: 1 where there are none */
};

/* When the trace is opened, after the settings are known: the first window begins. */
OVH_HIDDEN OVH_COLD void ovh_ladder_start(uint64_t tick_hz); /* ticks per second */
/* Python is being started, which may take some launches of other threads: meanwhile the first window goes on. False: it was, or cannot be. */
OVH_HIDDEN OVH_COLD void ovh_ladder_await(bool start);
/* Python is there (attached): levels above 1 mean something from now on. `python` lives as long as the process. */
OVH_HIDDEN OVH_COLD void ovh_ladder_offer(const struct ovh_ladder_python *python);
/* The switch that was asked for, if it was not made yet. Attached, outside of any hook. */
OVH_HIDDEN OVH_COLD void ovh_ladder_switch(void);
/* The same in a hooked call, before its enter. Called with busy set. */
OVH_HIDDEN OVH_COLD void ovh_ladder_switch_in_call(struct ovh_thread *t);
/* Recording is over: no more windows, and Python's hooks are taken out as soon as that is safe. Any thread. */
OVH_HIDDEN OVH_COLD void ovh_ladder_stop(void);
/* In the child of a fork, before its trace is opened. */
OVH_HIDDEN OVH_COLD void ovh_ladder_forked(void);
/* The highest level that the user wants: what is above need not be set up. */
OVH_HIDDEN uint32_t ovh_ladder_wanted(void);

/* Launch calls until something is due. Racing threads lose a count, no more. */
extern OVH_HIDDEN int32_t ovh_ladder_left;
OVH_HIDDEN OVH_COLD void ovh_ladder_due(struct ovh_thread *t);

/* Every recorded launch call says so, with a number for what it launches. Called with busy set. */
static inline void ovh_ladder_launch(struct ovh_thread *t, uint32_t what)
{
    ovh_launches_add(what);
    int32_t left = __atomic_load_n(&ovh_ladder_left, __ATOMIC_RELAXED) - 1;
    __atomic_store_n(&ovh_ladder_left, left, __ATOMIC_RELAXED);
    if (ovh_unlikely(left <= 0))
        ovh_ladder_due(t);
}

#endif
