/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/windows.h"

#include "analyzer/model/build.h"

#include <stdlib.h>

static uint32_t level_of(const struct trace_window *w)
{
    return w->level < WINDOWS_LEVELS ? w->level : WINDOWS_LEVELS - 1;
}

/* Windows before the first one of the highest level that only go up: hooks that were put in one after the other. */
static size_t beginnings(const struct trace *t, uint32_t top)
{
    size_t i = 0;
    while (i < t->n_windows && t->windows[i].number == i + 1 && level_of(&t->windows[i]) < top && level_of(&t->windows[i]) > 0)
        i++;
    return i < t->n_windows && level_of(&t->windows[i]) == top ? i : 0;
}

static void sum_up(struct windows *w, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct window *x = &w->list[i];
        uint64_t from = i && x->begin > start ? x->begin : start, to = x->end < end ? x->end : end;
        w->levels[x->level].windows++;
        w->levels[x->level].ticks += to > from ? to - from : 0;
    }
}

bool windows_make(struct windows *w, const struct trace *t, uint64_t start, uint64_t end)
{
    bool mixed = false;
    *w = (struct windows){.top = t->n_windows ? 0 : 2};
    for (size_t i = 0; i < t->n_windows; i++)
        w->top = level_of(&t->windows[i]) > w->top ? level_of(&t->windows[i]) : w->top;
    size_t first = beginnings(t, w->top);
    for (size_t i = first; i < t->n_windows; i++)
        mixed |= level_of(&t->windows[i]) < w->top;
    if (!mixed) {
        w->levels[w->top] = (struct windows_level){.windows = 1, .ticks = end - start};
        return true;
    }
    w->list = calloc(t->n_windows - first, sizeof *w->list);
    w->left = calloc(t->n_windows - first, sizeof *w->left);
    if (!w->list || !w->left)
        return false;
    for (size_t i = first; i < t->n_windows; i++) {
        const struct trace_window *x = &t->windows[i];
        w->list[w->n++] = (struct window){.level = level_of(x), .low = level_of(x) < w->top, .settle = x->settle,
                                          .begin = i > first ? x->begin : start, .end = x->end, .settled = UINT64_MAX};
    }
    sum_up(w, start, end);
    return true;
}

void windows_free(struct windows *w)
{
    free(w->list);
    free(w->left);
    free(w->launches);
    *w = (struct windows){0};
}

void windows_thread(struct windows *w)
{
    for (size_t i = 0; i < w->n; i++)
        w->left[i] = w->list[i].settle;
}

bool windows_launch(struct windows *w, size_t window, uint64_t tick)
{
    if (!w->left[window])
        return true;
    w->left[window]--;
    if (!build_grow((void **)&w->launches, w->n_launches, &w->room, sizeof *w->launches))
        return false;
    w->launches[w->n_launches++] = tick;
    return true;
}

static int by_tick(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Of each window the first `settle` of every thread are there, so the first `settle` of all threads are. */
void windows_settle(struct windows *w)
{
    size_t at = 0;
    if (w->n_launches)
        qsort(w->launches, w->n_launches, sizeof *w->launches, by_tick);
    for (size_t i = 0; i < w->n; i++) {
        struct window *x = &w->list[i];
        while (at < w->n_launches && i && w->launches[at] <= x->begin)
            at++;
        size_t end = at;
        uint64_t until = i + 1 < w->n ? w->list[i + 1].begin : UINT64_MAX;
        while (end < w->n_launches && w->launches[end] <= until)
            end++;
        x->settled = !x->settle ? x->begin : end - at >= x->settle ? w->launches[at + x->settle - 1] : UINT64_MAX;
        at = end;
    }
    free(w->launches);
    w->launches = NULL;
    w->n_launches = w->room = 0;
}

size_t windows_at(const struct windows *w, uint64_t tick)
{
    size_t low = 0, high = w->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (w->list[middle].begin < tick)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool windows_settled(const struct windows *w, uint64_t tick)
{
    return !w->n || tick >= w->list[windows_at(w, tick)].settled;
}
