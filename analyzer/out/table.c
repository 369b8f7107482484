/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/table.h"

#include <stdlib.h>
#include <string.h>

#define INDENT 2

bool out_table_begin(struct out_table *t, const struct out_column *columns, size_t n, const struct out_options *o)
{
    t->table = scols_new_table();
    t->columns = n;
    if (!t->table)
        return false;
    scols_table_enable_colors(t->table, o->colour);
    scols_table_set_termforce(t->table, SCOLS_TERMFORCE_ALWAYS);
    scols_table_set_termwidth(t->table, (size_t)(o->width > INDENT + 20 ? o->width - INDENT : 20));
    scols_table_set_column_separator(t->table, "  ");
    scols_table_enable_nowrap(t->table, 1);
    scols_table_enable_minout(t->table, 1);
    for (size_t i = 0; i < n; i++)
        if (!scols_table_new_column(t->table, columns[i].name, 0, columns[i].flags)) {
            scols_unref_table(t->table);
            t->table = NULL;
            return false;
        }
    return true;
}

void out_table_row(struct out_table *t, const char *const *texts, const char *colour)
{
    struct libscols_line *line = t->table ? scols_table_new_line(t->table, NULL) : NULL;
    if (!line)
        return;
    for (size_t i = 0; i < t->columns; i++)
        scols_line_set_data(line, i, texts[i] ? texts[i] : "");
    if (colour)
        scols_line_set_color(line, colour);
}

bool out_table_end(struct out_table *t, FILE *to)
{
    char *text = NULL;
    if (!t->table)
        return false;
    int fine = scols_print_table_to_string(t->table, &text);
    scols_unref_table(t->table);
    t->table = NULL;
    if (fine != 0 || !text) {
        free(text);
        return false;
    }
    for (char *line = text, *end; *line; line = end + (*end != 0)) {
        end = line + strcspn(line, "\n");
        size_t length = (size_t)(end - line);
        while (length && line[length - 1] == ' ')
            length--;
        fprintf(to, "%*s%.*s\n", INDENT, "", (int)length, line);
    }
    free(text);
    return true;
}
