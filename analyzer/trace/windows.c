/* SPDX-License-Identifier: Apache-2.0
 *
 * WINDOW records of all threads -> the process's windows (docs/trace-format.md, section 4.4).
 */
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/inside.h"

#include <stdlib.h>

bool trace_window_note(struct trace *t, const struct trace_item *item)
{
    struct trace_window w = {
        .number = item->data[0],
        .level = item->arg,
        .begin = trace_pair(item->data + 1),
        .end = UINT64_MAX,
        .reason = item->data[3],
        .settle = item->words > 4 ? item->data[4] : 0,
        .period = item->words > 5 ? item->data[5] : 0,
    };
    const struct trace_window *last = t->n_windows ? &t->windows[t->n_windows - 1] : NULL;
    if (last && last->number == w.number && last->level == w.level && last->begin == w.begin)
        return true; /* a chunk repeats it */
    TRACE_RETURN_IF(!trace_grow((void **)&t->windows, t->n_windows, sizeof w), false);
    t->windows[t->n_windows++] = w;
    return true;
}

/* By time; a window that begins when another one is stopped comes after that. */
static int window_order(const void *a, const void *b)
{
    const struct trace_window *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->level == OVH_WINDOW_STOPS) - (y->level == OVH_WINDOW_STOPS);
}

/* Of a number that is told in two ways (no writer does that) the first in time counts; numbers that go back are left out. */
void trace_windows_finish(struct trace *t)
{
    size_t n = 0;
    if (t->n_windows)
        qsort(t->windows, t->n_windows, sizeof *t->windows, window_order);
    for (size_t i = 0; i < t->n_windows; i++) {
        struct trace_window w = t->windows[i];
        if (n && t->windows[n - 1].end == UINT64_MAX && (w.level == OVH_WINDOW_STOPS || w.number > t->windows[n - 1].number))
            t->windows[n - 1].end = w.begin;
        if (w.level != OVH_WINDOW_STOPS && (!n || w.number > t->windows[n - 1].number))
            t->windows[n++] = w;
    }
    t->n_windows = n;
}
