/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/tally.h"

#include <stdlib.h>

struct tally_row *tally_row(struct tally *t, uint32_t id)
{
    for (size_t i = 0, at = t->mru; i < t->n; i++, at = at + 1 < t->n ? at + 1 : 0)
        if (t->rows[at].id == id) {
            t->mru = at;
            return &t->rows[at];
        }
    if (t->n == t->room) {
        size_t room = t->room ? t->room * 2 : 16;
        struct tally_row *rows = realloc(t->rows, room * sizeof *rows);
        if (!rows)
            return NULL;
        t->rows = rows;
        t->room = room;
    }
    t->mru = t->n;
    t->rows[t->n] = (struct tally_row){.id = id};
    return &t->rows[t->n++];
}

void tally_end(struct tally *t)
{
    free(t->rows);
    *t = (struct tally){0};
}
