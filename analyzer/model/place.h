/* SPDX-License-Identifier: Apache-2.0
 *
 * Which unit a walk is in: counts the calls of the looping frame just as siblings.c did when it listed them.
 */
#ifndef PLACE_PLACE_H
#define PLACE_PLACE_H

#include "analyzer/model/model.h"
#include "analyzer/model/unit.h"

#define PLACE_NEW UINT32_MAX /* cct_node.open of a loop: this instance of the frame has made no call yet */

struct place {
    const struct unit_list *units;
    size_t siblings; /* opened up to now */
    size_t next;     /* unit that comes next; when inside: the one behind the open one */
    bool inside;     /* a unit is open */
    bool at_start;   /* and it began with this call */
};

/* The walk's thread. */
const struct trace_thread *place_thread(const struct model *m);

/* To be called before the walk. */
void place_begin(struct place *p, const struct model *m);

/* Every loop counts as new: before a walk, and where recording stops or events are missing (cursor_breaks). */
void place_restart(const struct model *m);

/* At every enter below a loop. Returns the unit that the call belongs to; only to be used when p->inside. */
static inline size_t place_enter(struct place *p, struct cct_node *loop)
{
    if (loop->open == PLACE_NEW)
        p->siblings++; /* the gap between two instances */
    loop->open = (uint32_t)p->siblings;
    size_t index = p->siblings++;
    p->at_start = p->next < p->units->n && p->units->list[p->next].first == index;
    if (p->at_start) {
        p->next++;
        p->inside = true;
    } else if (p->inside && index >= p->units->list[p->next - 1].first + (size_t)p->units->length) {
        p->inside = false;
    }
    return p->next ? p->next - 1 : 0;
}

/* Where ranges are the units: one begins or ends (ranges_follow). siblings.c lists a gap before each. */
static inline void place_range(struct place *p, enum range_edge edge)
{
    p->at_start = p->inside = false;
    if (edge != RANGE_UNIT_BEGINS)
        return;
    p->siblings++;
    size_t index = p->siblings++;
    p->at_start = p->inside = p->next < p->units->n && p->units->list[p->next].first == index;
    p->next += p->inside;
}

/* At every leave to a loop. True: the open unit has ended here. */
static inline bool place_leave(struct place *p)
{
    if (!p->inside)
        return false;
    const struct unit_at *u = &p->units->list[p->next - 1];
    if (u->period || p->siblings != u->first + (size_t)p->units->length)
        return false;
    p->inside = false;
    return true;
}

#endif
