/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/cursor.h"

#define GC_END 0x8000u

void cursor_begin(struct cursor *c, struct cct *tree, const struct windows *windows, const struct model_role *role)
{
    *c = (struct cursor){
        .tree = tree, .windows = windows, .low_root = role->low_root, .at = role->root, .gap = true, .edge = UINT64_MAX};
    if (windows->n > 1)
        c->edge = windows->list[1].begin;
    if (windows->n && windows->list[0].low) {
        c->low = true;
        c->resume = c->at;
        c->at = c->low_root;
    }
}

/* Pseudo-spans do not go on in a low window: their end may not be seen. */
static void go_low(struct cursor *c)
{
    cursor_before_leave(c);
    c->resume = c->at;
    c->at = c->low_root;
    c->low = c->gap = true;
    c->inside = 0;
}

static void go_up(struct cursor *c)
{
    c->at = c->resume;
    c->low = false;
    c->gap = true;
}

uint64_t cursor_cross(struct cursor *c, uint64_t tick, uint32_t *node)
{
    const struct windows *w = c->windows;
    size_t now = c->window;
    uint64_t ticks = c->low ? 0 : cursor_time(c, c->edge);
    *node = c->at;
    while (now + 1 < w->n && tick > w->list[now + 1].begin)
        now++;
    if (c->low && c->inside && !w->list[now].low) {
        c->edge = tick; /* a call that began in the low window is open: look again at the next event */
        return 0;
    }
    c->window = now;
    c->edge = now + 1 < w->n ? w->list[now + 1].begin : UINT64_MAX;
    c->entered = CCT_NONE;
    c->gap = true;
    if (w->list[now].low && !c->low)
        go_low(c);
    else if (!w->list[now].low && c->low)
        go_up(c);
    return ticks;
}

static void remember_code(struct cursor *c, const struct trace_event *ev)
{
    uint32_t offset = ev->arg;
    if (offset == 0xffff && ev->words)
        offset = ev->data[0];
    uint32_t frame = c->at; /* it belongs to the innermost Python span */
    while (frame && !(c->tree->nodes[frame].flags & (CCT_PYTHON | CCT_ROOT)))
        frame = c->tree->nodes[frame].parent;
    c->code_step = c->tree->nodes[frame].step;
    c->code = offset < UINT32_MAX ? offset + 1 : 0;
}

static uint64_t collector(struct cursor *c, const struct trace_event *ev, uint32_t *node)
{
    uint64_t ticks = cursor_time(c, cursor_u64(ev->data));
    *node = c->at;
    bool inside = c->tree->nodes[c->at].step == CCT_STEP_GC; /* it does not run in itself: a second begin says nothing new */
    if (!(ev->arg & GC_END) && !inside)
        c->at = cct_child(c->tree, c->at, CCT_STEP_GC);
    else if ((ev->arg & GC_END) && inside)
        c->at = c->tree->nodes[c->at].parent;
    return ticks;
}

/* Up to a stop time is charged, from there on not. A change of level without a stop goes on without a gap. */
static uint64_t window(struct cursor *c, const struct trace_event *ev, uint32_t *node)
{
    bool stops = ev->arg == 0xffff;
    uint64_t ticks = stops ? cursor_time(c, cursor_u64(ev->data + 1)) : 0;
    *node = stops ? c->at : CCT_NONE;
    c->gap |= c->stopped || stops;
    c->stopped = stops;
    return ticks;
}

uint64_t cursor_record(struct cursor *c, const struct trace_event *ev, uint32_t *node, uint32_t *from)
{
    *node = *from = CCT_NONE;
    if (c->low && ev->type != OVH_R_WINDOW)
        return 0;
    switch (ev->type) {
    case OVH_R_AT:
        remember_code(c, ev);
        return 0;
    case OVH_R_WINDOW:
        return window(c, ev, node);
    case OVH_R_GC:
        return collector(c, ev, node);
    case OVH_R_OFF_CPU:
        *from = c->at;
        *node = cct_child(c->tree, c->at, CCT_STEP_OFF_CPU);
        return cursor_u64(ev->data);
    default:
        return 0;
    }
}
