/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/cursor.h"

#define GC_END 0x8000u

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
