/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts by id (kernels by name): for the whole run and for the units that count.
 */
#ifndef TALLY_TALLY_H
#define TALLY_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_row {
    uint32_t id;
    uint64_t run, unit;
};
struct tally {
    struct tally_row *rows;
    size_t n, room;
    size_t mru; /* the row counted last: in a loop the next one is near */
};

/* The row of `id`, made when new; NULL: no memory. Linear from the last one on: distinct kernels are few, and come in turn. */
struct tally_row *tally_row(struct tally *t, uint32_t id);
void tally_end(struct tally *t);

#endif
