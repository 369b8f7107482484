/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/ranges.h"

#include "analyzer/out/figure.h"
#include "analyzer/out/table.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
    const struct range_row *x = *(const struct range_row *const *)a, *y = *(const struct range_row *const *)b;
    if (x->ticks != y->ticks)
        return x->ticks > y->ticks ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void row(struct out_table *t, const struct model *m, const struct range_row *x)
{
    struct out_place name = out_source(x->name, 0), domain = out_source(x->domain, 0);
    struct out_figure calls = out_count(x->calls ? x->calls : x->marks), each = {""}, median = {""}, all = {""};
    if (x->calls) {
        each = out_us((double)x->ticks * m->ns / (double)x->calls);
        median = out_us((double)x->median * m->ns);
        all = out_ms((double)x->ticks * m->ns);
    }
    char kind[96] = "";
    if (!x->calls && x->marks)
        snprintf(kind, sizeof kind, "marks");
    else if (x->half)
        snprintf(kind, sizeof kind, "%s more without both ends", out_count(x->half).text);
    const char *texts[] = {*x->name ? name.text : "(no name)", domain.text, calls.text, each.text, median.text, all.text, kind};
    out_table_row(t, texts, NULL);
}

bool out_ranges(FILE *to, const struct model *m, const struct out_options *o)
{
    const struct out_column columns[] = {{"ranges (NVTX, whole run)", SCOLS_FL_TRUNC},
                                         {"domain", SCOLS_FL_TRUNC},
                                         {"calls", SCOLS_FL_RIGHT},
                                         {"us/call", SCOLS_FL_RIGHT},
                                         {"median", SCOLS_FL_RIGHT},
                                         {"ms", SCOLS_FL_RIGHT},
                                         {"", 0}};
    const struct range_row **rows = malloc((m->ranges.n + 1) * sizeof *rows);
    size_t n = 0, limit = o->steps ? o->steps : SIZE_MAX;
    struct out_table t;
    for (size_t i = 0; rows && i < m->ranges.n; i++)
        if (m->ranges.rows[i].calls || m->ranges.rows[i].marks || m->ranges.rows[i].half)
            rows[n++] = &m->ranges.rows[i];
    if (!rows || !n || !out_table_begin(&t, columns, 7, o)) {
        free(rows);
        return n == 0 && rows;
    }
    qsort(rows, n, sizeof *rows, by_time);
    for (size_t i = 0; i < n && i < limit; i++)
        row(&t, m, rows[i]);
    free(rows);
    putc('\n', to);
    bool fine = out_table_end(&t, to);
    if (n > limit)
        fprintf(to, "  and %s more names of ranges (--steps 0 shows all)\n", out_count(n - limit).text);
    return fine;
}
