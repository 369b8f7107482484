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
    if (!(ev->arg & GC_END))
        c->at = cct_child(c->tree, c->at, CCT_STEP_GC);
    else if (c->tree->nodes[c->at].step == CCT_STEP_GC)
        c->at = c->tree->nodes[c->at].parent;
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
        c->gap = true;
        return 0;
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
