/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the units of work lie on the thread that launches.
 */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include "analyzer/model/siblings.h"
#include "analyzer/model/windows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit_at {
    uint64_t start, wall; /* ticks; wall: to the start of what follows for a whole `period`, else to the end of its last call */
    uint32_t first;       /* its first sibling */
    bool joined;          /* the next unit of the list follows with no other call between */
    bool period;          /* `wall` reaches to the start of the call that follows: joined, or a window's edge cuts what follows */
};
struct unit_list {
    struct unit_at *list;
    size_t n;
    uint32_t length; /* siblings of one unit */
};

/* Cuts the siblings into units: every place where `length` symbols equal `pattern`, but for what begins while a window's
 * beginning still settles (windows NULL: that too). False: no memory. */
bool unit_cut(struct unit_list *units, const struct siblings *s, const uint32_t *pattern, size_t length,
              const struct windows *windows);
void unit_list_free(struct unit_list *units);

#endif
