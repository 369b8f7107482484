/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/ladder.h"

#include "preload/writer/arm.h"
#include "preload/writer/detail.h"
#include "preload/writer/lock.h"
#include "preload/writer/process.h"
#include "preload/writer/random.h"
#include "preload/writer/record.h"
#include "preload/writer/recording.h"
#include "preload/writer/units.h"

/* Windows of at most 32 repetitions lose no specialised bytecode, and eight settle (measured, docs/results). Long repetitions need
 * fewer: within one, most code runs many times. The early ones are short, so that a short run has many of them for the same cost. */
enum {
    WINDOW_MOST = 32, WINDOW_EARLY = 16, WINDOW_LEAST = 4, /* repetitions */
    SETTLE_SHARE = 4,                       /* one in so many of a window's repetitions is left out */
    CONTROL_LEAST = 48, CONTROL_MOST = 4096, /* repetitions of a window of the lowest level, for windows of WINDOW_MOST at the others */
    UNKNOWN_PERIOD = 8,                     /* launch calls that stand for a repetition where none was found */
    EARLY = 10,                             /* windows above the lowest level for which EARLY_BUDGET counts */
    FIRST = 320,                            /* launch calls at the top before anything is switched: a short run is seen whole */
    FIRST_REPETITIONS = 40, FIRST_MOST = 16384,
    RETRY = 64,                             /* launch calls until a switch that did not come is asked for again */
    SEARCH_EVERY = 16,                      /* windows between two searches for a repetition that was not found */
    BLOCKS = 16                             /* a window's time is the median of so many parts of it, or fewer: pauses do not count */
};
#define EARLY_BUDGET 0.02
#define WINDOW_SECONDS 0.02 /* a window need not be longer */
#define COST_FIRST 0.15     /* of a level that was not measured yet: full detail of Transformer Engine's Linear (docs/results) */
#define COST_WEIGHT 0.25    /* of the newest measurement in the running mean */

enum phase { FIXED, BEGINNING, SETTLING, MEASURING, SWITCHING, STOPPED };

int32_t ovh_ladder_left = INT32_MAX;

static struct {
    struct ovh_lock lock;
    const struct ovh_ladder_python *python;
    struct ovh_detail detail;
    enum phase phase;
    uint32_t levels;   /* those that take turns */
    uint32_t next;     /* SWITCHING: the level to come */
    uint32_t early;    /* windows above the lowest level so far, up to EARLY */
    uint32_t order;    /* levels above the lowest that are still to come in this round */
    uint32_t period;   /* launch calls per repetition, 0 unknown */
    uint32_t searched; /* windows since the last search */
    uint32_t random;
    uint64_t from_tick;   /* when the block began (BEGINNING: all of it), */
    uint32_t from;        /* and at which launch */
    uint32_t block;       /* launch calls of a block */
    uint32_t n_blocks, blocks_to_do;
    double blocks[BLOCKS]; /* ticks per launch call */
    double control;    /* ticks per launch call in the last window of the lowest level */
    double cost[OVH_LEVELS]; /* slow-down of a level against it, as a share; running mean */
    double tick_hz;
    bool awaits; /* Python is being started: what begins without it would begin again */
} l;

static void set_left(uint32_t launches)
{
    __atomic_store_n(&ovh_ladder_left, (int32_t)(launches ? launches : 1), __ATOMIC_RELAXED);
}

/* Any level the user did not ask for or nobody offers is left out; where Python is not there, level 2 is level 1 with its name. */
static uint32_t levels_there(void)
{
    uint32_t top = l.python ? l.python->top : 2, levels = l.detail.levels & ((2u << top) - 1);
    if (ovh_units_are_functions())
        levels &= ~3u; /* they are counted by their frames */
    if (!levels)
        levels = 1u << top;
    if (l.detail.automatic && !l.python)
        levels &= ~(1u << 1);
    return levels;
}

static uint32_t per_repetition(void)
{
    return l.period ? l.period : UNKNOWN_PERIOD;
}

/* Repetitions of a window above the lowest level. */
static uint32_t window_repetitions(void)
{
    double seconds = l.control > 0 && l.tick_hz > 0 ? l.control * per_repetition() / l.tick_hz : 0;
    double n = seconds > 0 ? WINDOW_SECONDS / seconds : WINDOW_MOST, most = l.early < EARLY ? WINDOW_EARLY : WINDOW_MOST;
    return n > most ? (uint32_t)most : n < WINDOW_LEAST ? WINDOW_LEAST : (uint32_t)n;
}

/* The first of them, which an estimate leaves out. */
static uint32_t settle_repetitions(void)
{
    return window_repetitions() / SETTLE_SHARE;
}

/* As many as keep what a round of the other levels costs within the budget. Each of those is followed by one window of this. At first fewer: a
 * run of some thousand calls must have enough windows to say how right its figures are. */
static uint32_t control_repetitions(uint32_t window)
{
    double costs = 0;
    double budget = l.early < EARLY && l.detail.budget < EARLY_BUDGET ? EARLY_BUDGET : l.detail.budget;
    uint32_t n = 0;
    for (uint32_t level = ovh_detail_bottom(l.levels) + 1; level < OVH_LEVELS; level++) {
        if (!(l.levels >> level & 1))
            continue;
        costs += l.cost[level] > 0 ? l.cost[level] : 0;
        n++;
    }
    double repetitions = n ? window * (costs / n / budget - 1) : 0;
    double least = (double)CONTROL_LEAST * window / WINDOW_MOST, most = (double)CONTROL_MOST * window / WINDOW_MOST;
    return (uint32_t)(repetitions < least ? least : repetitions > most ? most : repetitions) + 1;
}

static void begin_window(uint32_t level, enum ovh_window_reason reason)
{
    struct ovh_window w = {.level = level, .reason = reason, .settle = settle_repetitions() * per_repetition(), .period = l.period};
    ovh_window_begin(&w);
    l.phase = SETTLING;
    set_left(w.settle);
}

static void begin_block(const struct ovh_thread *t)
{
    l.from_tick = t->last;
    l.from = ovh_launches.n;
    set_left(l.block);
}

/* Launches settled: measure the rest of the window. */
static void begin_measure(const struct ovh_thread *t)
{
    uint32_t level = ovh_window_level(), window = window_repetitions();
    uint32_t n = level == ovh_detail_bottom(l.levels) ? control_repetitions(window) : window - settle_repetitions();
    l.blocks_to_do = n < BLOCKS ? n : n < 2 * BLOCKS ? n / 2 : BLOCKS;
    l.block = n / l.blocks_to_do * per_repetition();
    l.n_blocks = 0;
    l.phase = MEASURING;
    begin_block(t);
}

/* False: the window is over. */
static bool end_block(const struct ovh_thread *t)
{
    uint32_t launches = ovh_launches.n - l.from;
    l.blocks[l.n_blocks++] = launches ? (double)(t->last - l.from_tick) / launches : 0;
    if (l.n_blocks == l.blocks_to_do)
        return false;
    begin_block(t);
    return true;
}

static double median_block(void)
{
    for (uint32_t i = 1; i < l.n_blocks; i++)
        for (uint32_t j = i; j > 0 && l.blocks[j] < l.blocks[j - 1]; j--) {
            double swap = l.blocks[j];
            l.blocks[j] = l.blocks[j - 1];
            l.blocks[j - 1] = swap;
        }
    return l.blocks[l.n_blocks / 2];
}

static void end_measure(void)
{
    uint32_t level = ovh_window_level();
    double each = median_block();
    if (level == ovh_detail_bottom(l.levels)) {
        l.control = each;
    } else if (level < OVH_LEVELS && l.control > 0 && each > 0) {
        double cost = each / l.control - 1;
        cost = cost < -0.5 ? -0.5 : cost > 2 ? 2 : cost; /* the machine's other mode */
        l.cost[level] += COST_WEIGHT * (cost - l.cost[level]);
    }
}

static void look_for_repetition(void)
{
    if (l.period == 0 && l.searched++ % SEARCH_EVERY)
        return;
    l.period = ovh_repetition(l.period);
}

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)((uint64_t)ovh_random(&l.random) * n >> 32);
}

/* The lowest level after every other one; these in random order, each once a round. */
static uint32_t next_level(void)
{
    uint32_t bottom = ovh_detail_bottom(l.levels), others = l.levels & ~(1u << bottom);
    if (ovh_window_level() != bottom)
        return bottom;
    if (l.early < EARLY && l.early++ % 5 % 2 == 0)
        return ovh_detail_top(l.levels); /* three of five: it is the one that reports are made of */
    if (!(l.order & others))
        l.order = others;
    l.order &= others;
    uint32_t skip = random_below((uint32_t)__builtin_popcount(l.order)), level = 0;
    for (;; level++)
        if (l.order >> level & 1 && !skip--)
            break;
    l.order &= ~(1u << level);
    return level;
}

static bool needs_python(uint32_t level)
{
    return l.python && (level > 1 || ovh_window_level() > 1);
}

/* Called with the lock: the switch itself. */
static void switch_now(struct ovh_thread *t)
{
    uint32_t level = l.next;
    if (needs_python(level))
        level = l.python->set(level);
    ovh_arm_calls(level);
    begin_window(level, OVH_WINDOW_LEVEL);
    if (t)
        ovh_window_write(t);
}

static void switch_or_ask(struct ovh_thread *t)
{
    if (!needs_python(l.next)) {
        switch_now(t);
        return;
    }
    l.phase = SWITCHING;
    set_left(RETRY);
    if (!l.python->ask) /* walked frames: nothing of the interpreter's is changed */
        switch_now(t);
    else
        l.python->ask();
}

/* The first stretch, at the top, is over when the repetition is known and was seen often enough, or never seems to be. */
static bool beginning_is_over(const struct ovh_thread *t)
{
    uint32_t n = ovh_launches.n;
    if (__atomic_load_n(&l.awaits, __ATOMIC_RELAXED) && n < FIRST_MOST) {
        set_left(RETRY);
        return false;
    }
    l.period = ovh_repetition(0);
    uint32_t enough = l.period ? FIRST_REPETITIONS * l.period : n < FIRST_MOST / 4 ? 2 * n : n;
    if (enough > n && n < FIRST_MOST) {
        set_left(enough - n);
        return false;
    }
    l.control = (double)(t->last - l.from_tick) / n; /* for the length of the first windows */
    return true;
}

void ovh_ladder_due(struct ovh_thread *t)
{
    uint32_t was_busy;
    if (!ovh_lock_try(&l.lock, &was_busy))
        return; /* another thread is at it */
    switch (l.phase) {
    case STOPPED:
    case FIXED:
        set_left(INT32_MAX);
        break;
    case BEGINNING:
        if (beginning_is_over(t)) {
            l.next = ovh_detail_bottom(l.levels);
            switch_or_ask(t);
        }
        break;
    case SETTLING: begin_measure(t); break;
    case MEASURING:
        if (end_block(t))
            break;
        end_measure();
        look_for_repetition();
        l.next = next_level();
        switch_or_ask(t);
        break;
    case SWITCHING: /* the main thread is not in its loop: any attached thread will do, and those are met in other calls than launches */
        ovh_arm(OVH_ARM_CALL);
        set_left(RETRY);
        l.python->ask();
        break;
    }
    ovh_lock_drop(&l.lock, was_busy);
}

void ovh_ladder_switch_in_call(struct ovh_thread *t)
{
    uint32_t was_busy;
    if (!ovh_lock_try(&l.lock, &was_busy))
        return;
    if (l.phase == SWITCHING)
        switch_now(t);
    else if (l.phase == STOPPED && l.python)
        l.python->set(0);
    ovh_lock_drop(&l.lock, was_busy);
    if (t->next >= t->limit)
        ovh_chunk_next(t);
}

void ovh_ladder_switch(void)
{
    if (__atomic_load_n(&l.phase, __ATOMIC_ACQUIRE) == STOPPED) {
        l.python->set(0);
        return;
    }
    struct ovh_thread *t = ovh_self;
    if (!t)
        t = ovh_thread_start();
    if (!t || t->busy)
        return; /* asked for again at later launches */
    ovh_resume(t);
    ovh_ladder_switch_in_call(t);
    ovh_end(t);
}

/* Called with the lock: the first stretch, at the top. */
static void begin(void)
{
    bool fixed = (l.levels & (l.levels - 1)) == 0;
    l.phase = fixed ? FIXED : BEGINNING;
    l.from_tick = ovh_tick();
    ovh_launches.n = 0;
    l.early = 0;
    set_left(fixed ? INT32_MAX : FIRST);
}

void ovh_ladder_start(uint64_t tick_hz)
{
    uint32_t was_busy = ovh_lock_take(&l.lock);
    l.detail = ovh_detail_read();
    l.tick_hz = (double)tick_hz;
    l.random = (uint32_t)ovh_tick();
    l.levels = levels_there();
    for (uint32_t i = 0; i < OVH_LEVELS; i++)
        l.cost[i] = COST_FIRST;
    uint32_t top = ovh_detail_top(l.levels), now = l.python ? l.python->now() : 2; /* until Python offers itself */
    struct ovh_window w = {.level = top < now ? top : now, .reason = ovh_recording_reason()};
    ovh_window_begin(&w);
    ovh_arm_calls(w.level);
    begin();
    ovh_lock_drop(&l.lock, was_busy);
}

/* In this thread's own place of the trace; the other threads' events belong to a window by their tick. */
static void write_window(void)
{
    struct ovh_thread *t = ovh_self;
    if (!t)
        return;
    uint32_t was_busy = t->busy;
    ovh_resume(t);
    ovh_window_write(t);
    if (t->next >= t->limit)
        ovh_chunk_next(t);
    t->busy = was_busy;
}

void ovh_ladder_await(bool start)
{
    __atomic_store_n(&l.awaits, start, __ATOMIC_RELAXED);
}

void ovh_ladder_offer(const struct ovh_ladder_python *python)
{
    uint32_t was_busy = ovh_lock_take(&l.lock);
    if (l.phase == STOPPED) { /* too late */
        ovh_lock_drop(&l.lock, was_busy);
        return;
    }
    l.python = python;
    l.levels = levels_there();
    struct ovh_window w = {.level = python->set(ovh_detail_top(l.levels)), .reason = OVH_WINDOW_LEVEL};
    bool new_level = w.level != ovh_window_level();
    ovh_arm_calls(w.level);
    if (new_level)
        ovh_window_begin(&w);
    begin();
    ovh_lock_drop(&l.lock, was_busy);
    if (new_level)
        write_window();
}

void ovh_ladder_stop(void)
{
    uint32_t was_busy = ovh_lock_take(&l.lock);
    __atomic_store_n(&l.phase, STOPPED, __ATOMIC_RELEASE);
    set_left(INT32_MAX);
    for (int i = 0; i < 2 && l.python && l.python->ask; i++)
        l.python->ask(); /* twice: the main thread may be in a long call, so whoever comes by is asked as well */
    if (l.python && !l.python->ask)
        l.python->set(0);
    ovh_lock_drop(&l.lock, was_busy);
}

void ovh_ladder_forked(void)
{
    l.lock = (struct ovh_lock){0};
    l.phase = FIXED;
    set_left(INT32_MAX);
    ovh_window_forked();
}

uint32_t ovh_ladder_wanted(void)
{
    return ovh_detail_top(ovh_detail_read().levels);
}
