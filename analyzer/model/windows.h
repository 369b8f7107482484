/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of different levels of detail in one run. What the tree, the unit of work and their times are taken from is the windows
 * of the highest level; the others are `low`: what happens there is counted, and told apart.
 */
#ifndef MODEL_WINDOWS_H
#define MODEL_WINDOWS_H

#include "analyzer/trace/trace.h"

#define WINDOWS_LEVELS 5u

struct window {
    uint32_t level;
    bool low;            /* below the highest level */
    uint32_t settle;     /* launch calls at its beginning that are under the influence of the switch */
    uint64_t begin, end; /* ticks; the last one's end is UINT64_MAX */
    uint64_t settled;    /* tick of the last of those; UINT64_MAX: the window ended before. Once windows_settle was called */
};

struct windows_level {
    uint64_t windows, ticks;
    uint64_t launches; /* as in model_counts, but captured ones too */
};

struct windows {
    struct window *list; /* by time; none where the run has one level only */
    size_t n;
    uint32_t top; /* the highest level */
    struct windows_level levels[WINDOWS_LEVELS];
    uint32_t *left; /* while launches are noted: of each window's `settle`, for one thread */
    uint64_t *launches;
    size_t n_launches, room;
};

/* `start`, `end`: of the events. A run that was recorded at one level has no list. What the recorder did before it knew of Python,
 * at the run's beginning, counts as the first window of the highest level. False: no memory. */
bool windows_make(struct windows *w, const struct trace *t, uint64_t start, uint64_t end);
void windows_free(struct windows *w);

/* Launch calls of one thread, in order of time; nested ones too. `window`: where it is. False: no memory. */
void windows_thread(struct windows *w);
bool windows_launch(struct windows *w, size_t window, uint64_t tick);
/* All threads' launches were noted. */
void windows_settle(struct windows *w);

/* Is a unit that begins at `tick` free of the switch's influence? */
bool windows_settled(const struct windows *w, uint64_t tick);
/* The window that `tick` is in; w->n is not 0. */
size_t windows_at(const struct windows *w, uint64_t tick);

#endif
