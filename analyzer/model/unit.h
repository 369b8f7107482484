/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the units of work lie on the thread that launches.
 */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include "analyzer/model/siblings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit_at {
    uint64_t start, wall; /* ticks; wall: to the start of the next unit when joined, else to the end of its last call */
    uint32_t first;       /* its first sibling */
    bool joined;          /* the next unit follows with no other call between */
};
struct unit_list {
    struct unit_at *list;
    size_t n;
    uint32_t length; /* siblings of one unit */
};

/* Cuts the siblings into units: every place where `length` symbols equal `pattern`. False: no memory. */
bool unit_cut(struct unit_list *units, const struct siblings *s, const uint32_t *pattern, size_t length);
void unit_list_free(struct unit_list *units);

#endif
