/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/modules.h"

#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"
#include "analyzer/out/levels.h"
#include "analyzer/out/table.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8 };

void out_modules_hint(FILE *to, const struct model *m)
{
    size_t n = 0;
    for (size_t i = MODULES_FIRST; i < m->modules.n; i++)
        n += m->modules.rows[i].calls > 0;
    if (n)
        fprintf(to, "  %s modules of the network were called in a %s: --by module and --by module-type show what they took\n",
                out_count(n).text, out_unit_word(m));
}

/* "Linear" of torch's own, "transformer_engine Linear": the package tells apart what is called the same. */
static void type_text(const char *type, char *out, size_t size)
{
    const char *dot = strrchr(type, '.');
    size_t package = strcspn(type, ".");
    if (!dot || !strncmp(type, "torch.nn.", 9) || !strncmp(type, "__main__.", 9))
        snprintf(out, size, "%s", dot ? dot + 1 : type);
    else
        snprintf(out, size, "%.*s %s", (int)package, type, dot + 1);
}

struct sheet {
    struct out_table t;
    const struct model *m;
    uint64_t units, wall; /* wall: ticks of all units */
    bool by_type, raw;    /* raw: times as measured */
};

static uint64_t self_of(const struct sheet *s, const struct module_row *row)
{
    return s->raw ? row->self.ticks : row->corrected_self;
}

static uint64_t total_of(const struct sheet *s, const struct module_row *row)
{
    return s->raw ? row->total.ticks : row->corrected_total;
}

static struct out_figure each(const struct sheet *s, uint64_t ticks, uint64_t n)
{
    return n ? out_us((double)ticks * s->m->ns / (double)n) : (struct out_figure){""};
}

static void module_line(struct sheet *s, const struct module_row *row)
{
    char type[200];
    type_text(row->type, type, sizeof type);
    struct out_place path = out_source(row->path ? row->path : "", 0), kind = out_source(type, 0);
    struct out_figure calls = out_mean(row->calls, s->units), call = each(s, total_of(s, row), row->calls),
                      total = each(s, total_of(s, row), s->units), self = each(s, self_of(s, row), s->units),
                      share = out_share((double)self_of(s, row), (double)s->wall), back = {""};
    if (row->backward_calls)
        back = each(s, row->backward, s->units);
    const char *name = s->by_type ? row->type : path.text;
    char unnamed[300];
    if (row->unnamed) {
        snprintf(unnamed, sizeof unnamed, "(%s, nobody's child)", path.text);
        name = unnamed;
    }
    const char *texts[COLUMNS] = {name,     s->by_type ? "" : kind.text, calls.text, call.text, total.text, self.text, share.text,
                                  back.text};
    out_table_row(&s->t, texts, NULL);
}

static void other_line(struct sheet *s, const char *name, uint64_t self, const char *back, const char *colour)
{
    struct out_figure time = each(s, self, s->units), share = out_share((double)self, (double)s->wall);
    const char *texts[COLUMNS] = {name, "", "", "", "", time.text, share.text, back};
    out_table_row(&s->t, texts, colour);
}

/* Backward, as the thread of the units sees it: it waits for the engine, or is it; the rest is handing over. */
static void backward_lines(struct sheet *s)
{
    const struct backward *b = &s->m->backward;
    uint64_t self = self_of(s, &s->m->modules.rows[MODULES_BACKWARD]), hand_over = b->hand_over < self ? b->hand_over : self;
    uint64_t rest = b->engine > b->divided ? b->engine - b->divided : 0;
    if (!s->m->modules.rows[MODULES_BACKWARD].calls)
        return;
    other_line(s, "(backward)", self - hand_over, b->divided ? "" : each(s, b->engine, s->units).text, NULL);
    other_line(s, "(backward, handing over)", hand_over, "", NULL);
    if (b->divided) {
        struct out_figure left = each(s, rest, s->units);
        const char *texts[COLUMNS] = {"(backward, not divided)", "", "", "", "", "", "", left.text};
        out_table_row(&s->t, texts, NULL);
    }
}

static int by_self(const void *a, const void *b)
{
    const struct module_row *x = *(const struct module_row *const *)a, *y = *(const struct module_row *const *)b;
    if (x->corrected_self != y->corrected_self)
        return x->corrected_self > y->corrected_self ? -1 : 1;
    return strcmp(x->type, y->type);
}

static bool lines(struct sheet *s)
{
    const struct modules *ms = &s->m->modules;
    const struct module_row *rows = s->by_type ? ms->types : ms->rows;
    size_t n = 0, first = s->by_type ? 0 : MODULES_FIRST, end = s->by_type ? ms->n_types : ms->n;
    const struct module_row **called = calloc(end + 1, sizeof *called);
    uint64_t sum = self_of(s, &ms->rows[MODULES_OUTSIDE]) + self_of(s, &ms->rows[MODULES_BACKWARD]);
    if (!called)
        return false;
    for (size_t i = first; i < end; i++) {
        sum += self_of(s, &rows[i]);
        if (rows[i].calls || rows[i].total.ticks)
            called[n++] = &rows[i];
    }
    if (s->by_type)
        qsort(called, n, sizeof *called, by_self);
    for (size_t i = 0; i < n; i++)
        module_line(s, called[i]);
    free(called);
    other_line(s, "(outside modules)", self_of(s, &ms->rows[MODULES_OUTSIDE]), "", NULL);
    backward_lines(s);
    other_line(s, "sum", sum, "", "bold");
    other_line(s, "wall", s->wall, "", "bold");
    return true;
}

static bool one_sheet(FILE *to, const struct model *m, const struct out_options *o, bool by_type)
{
    char per[24];
    snprintf(per, sizeof per, "us/%s", out_unit_word(m));
    const struct out_column columns[COLUMNS] = {{by_type ? "module type" : "module", SCOLS_FL_TRUNC},
                                                {by_type ? "" : "type", SCOLS_FL_TRUNC},
                                                {"calls", SCOLS_FL_RIGHT},
                                                {"us each", SCOLS_FL_RIGHT},
                                                {per, SCOLS_FL_RIGHT},
                                                {"self", SCOLS_FL_RIGHT},
                                                {"share", SCOLS_FL_RIGHT},
                                                {"backward", SCOLS_FL_RIGHT}};
    struct sheet s = {.m = m, .units = m->unit.steady.counted, .wall = m->unit.steady.sum, .by_type = by_type, .raw = !out_corrects(m, o)};
    if (!s.raw)
        s.wall = out_corrected_wall(m);
    if (!out_table_begin(&s.t, columns, COLUMNS, o))
        return false;
    if (lines(&s))
        return out_table_end(&s.t, to);
    scols_unref_table(s.t.table);
    return false;
}

static void remarks(FILE *to, const struct model *m)
{
    const struct backward *b = &m->backward;
    fputs("\n  us each: one call with all that it calls; self: without the modules that it calls, per unit of work\n", to);
    if (b->n && !b->divided)
        fputs("  backward is not divided by module: no autograd function written in Python ran in it whose forward is known\n", to);
    if (b->divided)
        fputs("  backward: of autograd functions written in Python, in the thread that ran them; torch's own C++ nodes are\n"
              "  not divided\n",
              to);
    if (b->undivided)
        fprintf(to, "  %s of %s backward passes are not divided: their functions are not those of the forward in reverse\n",
                out_count(b->undivided).text, out_count(b->n).text);
}

static bool one(FILE *to, const struct out_report *r, const struct out_options *o, bool by_type)
{
    const struct model *m = r->model;
    out_head(to, r, o);
    putc('\n', to);
    if (m->unit.kind == MODEL_UNIT_NONE) {
        out_no_unit(to, m);
        return true;
    }
    out_unit_head(to, m, o);
    putc('\n', to);
    if (!m->modules.any) {
        fputs("  no call of an nn.Module was recorded\n", to);
        return true;
    }
    bool fine = one_sheet(to, m, o, by_type);
    remarks(to, m);
    return fine;
}

static bool all(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o, bool by_type)
{
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++) {
        if (i)
            putc('\n', to);
        fine = one(to, &reports[i], o, by_type);
    }
    return fine && !ferror(to);
}

static bool write_modules(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    return all(to, reports, n, o, false);
}

static bool write_types(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    return all(to, reports, n, o, true);
}

const struct out_ops out_modules = {"module", "the unit's time by nn.Module instance", write_modules};
const struct out_ops out_module_types = {"module-type", "the unit's time by class of nn.Module", write_types};
