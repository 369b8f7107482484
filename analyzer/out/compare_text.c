/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison for people: the report's class table and steps with a column for every side. docs/reading-a-report.md explains it.
 */
#include "analyzer/out/compare.h"
#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"
#include "analyzer/out/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDES 8u /* in columns */
#define COLUMNS (4 + 6 * SIDES)

const char *out_compare_word(enum compare_verdict verdict)
{
    static const char *const words[] = {"same", "not sure", "slower", "faster", "new", "gone"};
    return words[verdict];
}

/* "a", "b": what the columns are called; the head says what they are. */
static char letter(size_t side)
{
    return (char)('a' + side);
}

static const struct model *first_model(const struct out_comparison *c, size_t side)
{
    return out_side(c, side)->model;
}

static struct out_figure signed_us(double ns)
{
    struct out_figure f = out_us(ns), sign;
    snprintf(sign.text, sizeof sign.text, "%s%.60s", ns >= 0 ? "+" : "", f.text);
    return f.text[0] == '-' ? f : sign;
}

static struct out_figure ratio_of(const struct compare_change *d)
{
    struct out_figure f = {""};
    if (d->ratio > 0)
        snprintf(f.text, sizeof f.text, d->ratio < 9.995 ? "%.2fx" : "%.1fx", d->ratio);
    return f;
}

static struct out_figure calls_of(const struct compare_figure *f)
{
    struct out_figure t = {""};
    if (f->calls > 0)
        snprintf(t.text, sizeof t.text,
                 fabs(f->calls - round(f->calls)) < 0.0005 ? "%.0f"
                 : f->calls < 10                           ? "%.2f"
                                                           : "%.1f",
                 f->calls);
    return t;
}

static void name_side(FILE *to, const struct out_comparison *c, size_t side, const struct out_options *o)
{
    const struct out_report *r = out_side(c, side);
    const char *command = out_value(r->model, "command");
    fprintf(to, "%s%c  ", out_bold(o), letter(side));
    out_safe(to, r->file);
    fputs(out_plain(o), to);
    if (c->sides[side].n > 1)
        fprintf(to, " and %zu more runs", c->sides[side].n - 1);
    if (out_simulated(r->model))
        fprintf(to, "  %ssimulated device%s", out_red(o), out_plain(o));
    fputs("  ", to);
    out_safe(to, command ? command : "(command not recorded)");
    putc('\n', to);
    for (size_t i = 0; i < c->sides[side].n; i++)
        out_head_losses(to, &r[i], o);
}

static void per_unit(FILE *to, const char *what, const struct model *a, uint64_t x, const struct model *b, uint64_t y)
{
    fprintf(to, "; %s %s, %s", what, out_mean(x, a->unit.steady.counted).text, out_mean(y, b->unit.steady.counted).text);
}

static void shape(FILE *to, const struct model *m)
{
    const struct model_gemm *g = &m->unit.counts.largest;
    fprintf(to, "%llu x %llu x %llu", (unsigned long long)g->m, (unsigned long long)g->n, (unsigned long long)g->k);
    if (g->batch > 1)
        fprintf(to, " x %llu", (unsigned long long)g->batch);
}

static void unlike(FILE *to, const struct out_comparison *c, size_t side, const struct out_options *o)
{
    const struct model *a = first_model(c, 0), *b = first_model(c, side);
    const struct model_counts *x = &a->unit.counts, *y = &b->unit.counts;
    unsigned bits = compare_unlike(a, b);
    if (!(bits & ~(unsigned)COMPARE_UNIT))
        return;
    fprintf(to, "%s! a and %c do unlike work per unit%s", out_red(o), letter(side), out_plain(o));
    if (bits & COMPARE_LAUNCHES)
        per_unit(to, "launches", a, x->launches, b, y->launches);
    if (bits & COMPARE_GEMMS)
        per_unit(to, "GEMMs", a, x->gemms, b, y->gemms);
    if (bits & COMPARE_SHAPES) {
        fputs("; largest GEMM ", to);
        shape(to, a);
        fputs(", ", to);
        shape(to, b);
    }
    if (bits & COMPARE_SYNCS)
        per_unit(to, "syncs", a, x->syncs + x->blocking_copies, b, y->syncs + y->blocking_copies);
    if (bits & COMPARE_COPIES)
        per_unit(to, "copies", a, x->copies, b, y->copies);
    putc('\n', to);
}

static void differences(FILE *to, const struct out_comparison *c, size_t side)
{
    struct out_difference list[OUT_DIFFERENCES];
    size_t n = out_differences(first_model(c, 0), first_model(c, side), list);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "differs: %s: ", list[i].name);
        out_safe(to, *list[i].a ? list[i].a : "(not recorded)");
        fprintf(to, " | %c: ", letter(side));
        out_safe(to, *list[i].b ? list[i].b : "(not recorded)");
        putc('\n', to);
    }
    if (!n)
        fprintf(to, "a and %c: same machine and versions, as far as they were recorded\n", letter(side));
}

static void head(FILE *to, const struct out_comparison *c, const struct out_options *o)
{
    fprintf(to, "%sovh-report%s  comparison of %zu sides with the first one, a\n", out_bold(o), out_plain(o), c->n_sides);
    for (size_t s = 0; s < c->n_sides; s++)
        name_side(to, c, s, o);
    out_machine(to, first_model(c, 0));
    for (size_t s = 1; s < c->n_sides; s++)
        differences(to, c, s);
    for (size_t s = 1; s < c->n_sides; s++)
        unlike(to, c, s, o);
    for (size_t s = 0; s < c->n_sides; s++) {
        fprintf(to, "\n%c  ", letter(s));
        out_unit_head(to, first_model(c, s), o);
    }
}

/* Whether the unit is a call everywhere. */
static const char *per(const struct out_comparison *c)
{
    for (size_t s = 0; s < c->n_sides; s++)
        if (first_model(c, s)->unit.kind == MODEL_UNIT_LOOP || first_model(c, s)->unit.kind == MODEL_UNIT_RANGE)
            return "us/unit";
    return "us/call";
}

struct columns {
    struct out_column list[COLUMNS];
    char names[COLUMNS][24];
    size_t n;
};

static void column(struct columns *k, const char *name, size_t side, int flags)
{
    if (side == SIZE_MAX)
        snprintf(k->names[k->n], sizeof k->names[0], "%s", name);
    else
        snprintf(k->names[k->n], sizeof k->names[0], "%c %s", letter(side), name);
    k->list[k->n] = (struct out_column){k->names[k->n], flags};
    k->n++;
}

static bool begin(struct out_table *t, const struct out_comparison *c, const char *title, bool where, const struct out_options *o)
{
    struct columns k = {.n = 0};
    size_t sides = c->n_sides < SIDES ? c->n_sides : SIDES;
    column(&k, title, SIZE_MAX, where ? SCOLS_FL_TRUNC : 0);
    for (size_t s = 0; s < sides; s++) {
        column(&k, per(c), s, SCOLS_FL_RIGHT);
        column(&k, "calls", SIZE_MAX, SCOLS_FL_RIGHT);
        if (!s)
            continue;
        column(&k, "delta", SIZE_MAX, SCOLS_FL_RIGHT);
        column(&k, "[95 %]", SIZE_MAX, SCOLS_FL_RIGHT);
        column(&k, "ratio", SIZE_MAX, SCOLS_FL_RIGHT);
        column(&k, "", SIZE_MAX, 0);
    }
    if (where)
        column(&k, "where", SIZE_MAX, SCOLS_FL_TRUNC);
    return out_table_begin(t, k.list, k.n, o);
}

static void add(struct out_table *t, const struct out_comparison *c, const struct compare_row *row, bool where)
{
    struct out_figure texts[COLUMNS];
    const char *cells[COLUMNS];
    struct out_place name = out_source(row->name, 0), place = out_source(row->file, row->line);
    size_t sides = c->n_sides < SIDES ? c->n_sides : SIDES, n = 0;
    bool bold = row->kind != COMPARE_CLASS && row->kind != COMPARE_STEP;
    cells[n++] = name.text;
    for (size_t s = 0; s < sides; s++) {
        const struct compare_change *d = &row->changes[s];
        texts[n] = row->figures[s].there || bold ? out_us(row->figures[s].ns) : (struct out_figure){"-"}, cells[n] = texts[n].text,
        n++;
        texts[n] = calls_of(&row->figures[s]), cells[n] = texts[n].text, n++;
        if (!s)
            continue;
        texts[n] = signed_us(d->ns), cells[n] = texts[n].text, n++;
        snprintf(texts[n].text, sizeof texts[n].text, "%.20s .. %.20s", signed_us(d->low).text, signed_us(d->high).text);
        cells[n] = texts[n].text, n++;
        texts[n] = ratio_of(d), cells[n] = texts[n].text, n++;
        cells[n++] = out_compare_word(d->verdict);
    }
    if (where)
        cells[n++] = place.text;
    out_table_row(t, cells, bold ? "bold" : NULL);
}

static bool class_table(FILE *to, const struct out_comparison *c, const struct out_options *o)
{
    struct out_table t;
    if (!begin(&t, c, "class", false, o))
        return false;
    size_t fixed = c->compare->n_rows - c->compare->n_steps;
    for (int apart = 0; apart < 2;
         apart++) { /* the host's classes and their sum; what stands apart, the sum of all, the wall time */
        for (size_t i = 0; i < fixed; i++)
            if (c->compare->rows[i].kind == COMPARE_CLASS && model_class_apart(c->compare->rows[i].class_) == (apart == 1))
                add(&t, c, &c->compare->rows[i], false);
        for (size_t i = 0; i < fixed; i++)
            if (c->compare->rows[i].kind != COMPARE_CLASS && (c->compare->rows[i].kind == COMPARE_HOST) == (apart == 0))
                add(&t, c, &c->compare->rows[i], false);
    }
    return out_table_end(&t, to);
}

static bool step_table(FILE *to, const struct out_comparison *c, const struct out_options *o)
{
    struct out_table t;
    size_t first = c->compare->n_rows - c->compare->n_steps, limit = o->steps ? o->steps : SIZE_MAX;
    if (!c->compare->n_steps)
        return true;
    if (!begin(&t, c, "steps, greatest change first", true, o))
        return false;
    for (size_t i = 0; i < c->compare->n_steps && i < limit; i++)
        add(&t, c, &c->compare->rows[first + i], true);
    putc('\n', to);
    return out_table_end(&t, to);
}

static void remarks(FILE *to, const struct out_comparison *c)
{
    putc('\n', to);
    if (c->compare->ranks)
        fputs("  figures: median over the runs of a side, of each the lower quartile of its blocks; intervals (95 %) from how the "
              "runs differ (Mann and Whitney)\n",
              to);
    else
        fprintf(to,
                "  intervals (95 %%): from blocks of units within each run, and %.1f %% for what two equal processes differ in "
                "anyway;\n"
                "  with %u runs or more of each side (--base, --change), taken in turns, the runs themselves say how sure a "
                "difference is\n",
                100 * COMPARE_SPREAD, COMPARE_RANKS);
    fputs(c->compare->corrected ? "  without the profiler's own cost, as each run measured it; wall: as recorded\n"
                                : "  as recorded, with the profiler's own cost: not all runs have an estimate of it\n",
          to);
    fputs("  rows are medians of their own: they add up to the sum only nearly\n", to);
    if (c->n_sides > SIDES)
        fprintf(to, "  %zu more sides are not shown here: --format json has them\n", c->n_sides - SIDES);
}

bool out_compare_text(FILE *to, const struct out_comparison *c, const struct out_options *o)
{
    bool fine = true;
    if (c->compare) {
        head(to, c, o);
        putc('\n', to);
        fine = class_table(to, c, o) && step_table(to, c, o);
        remarks(to, c);
    }
    if (c->n_gates)
        out_gates(to, c, o);
    return fine && !ferror(to);
}
