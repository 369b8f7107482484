/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of the text forms, laid out by libsmartcols and indented by two columns.
 */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include "analyzer/out/out.h"

#include <libsmartcols/libsmartcols.h>

struct out_column {
    const char *name;
    int flags; /* SCOLS_FL_RIGHT, SCOLS_FL_TRUNC */
};

struct out_table {
    struct libscols_table *table;
    size_t columns;
};

/* False: no memory. Functions below do nothing on a table that was not made. */
bool out_table_begin(struct out_table *t, const struct out_column *columns, size_t n, const struct out_options *o);
/* As many texts as there are columns; NULL reads as "". colour: of libsmartcols, or NULL. */
void out_table_row(struct out_table *t, const char *const *texts, const char *colour);
/* Prints and frees it. False: no memory. */
bool out_table_end(struct out_table *t, FILE *to);

#endif
