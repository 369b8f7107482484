/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/compare.h"

#include "analyzer/model/interval.h"
#include "analyzer/model/match.h"
#include "analyzer/model/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_OF_ROW 0.05
#define SMALL_OF_HOST 0.005
#define FIXED_ROWS (OVH_CLASSES + 3)

struct making {
    struct compare *c;
    const struct model **models; /* of all sides, one after the other */
    size_t n_models;
    struct match match;
    struct row_value *values; /* of the row in work, by model */
    double *pairs;            /* room for the differences */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* quiet: there are runs enough to look at each one where it was least disturbed. */
static struct compare_figure figure_of(const struct row_value *v, size_t n, bool quiet)
{
    struct compare_figure f = {0};
    double sorted[COMPARE_RUNS];
    for (size_t i = 0; i < n; i++) {
        sorted[i] = quiet ? v[i].quiet : v[i].ns;
        f.calls += v[i].calls / (double)n;
        f.there |= v[i].there;
    }
    qsort(sorted, n, sizeof *sorted, by_value);
    f.ns = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    f.low = n == 1 ? v[0].low : sorted[0];
    f.high = n == 1 ? v[0].high : sorted[n - 1];
    return f;
}

/* Standard error of a side's value where its runs are too few to tell: what the blocks of each run say, the spread of the runs, and
 * at least the spread that is usual between processes. */
static double error_of(const struct row_value *v, size_t n)
{
    double mean = 0, within = 0, between = 0;
    for (size_t i = 0; i < n; i++)
        mean += v[i].ns / (double)n;
    for (size_t i = 0; i < n; i++) {
        double error = (v[i].high - v[i].low) / (2 * 1.96);
        within += error * error / (double)n;
        between += n > 1 ? (v[i].ns - mean) * (v[i].ns - mean) / (double)(n - 1) : 0;
    }
    return sqrt((within + fmax(between, mean * COMPARE_SPREAD * mean * COMPARE_SPREAD)) / (double)n);
}

/* Interval by the normal distribution. */
static void change_by_errors(struct compare_change *d, double a, double error_a, double b, double error_b)
{
    double reach = 1.96 * sqrt(error_a * error_a + error_b * error_b);
    *d = (struct compare_change){.ns = b - a, .low = b - a - reach, .high = b - a + reach};
    if (a > 0 && b > 0) {
        double factor = exp(1.96 * sqrt(error_a / a * (error_a / a) + error_b / b * (error_b / b)));
        d->ratio = b / a;
        d->ratio_low = d->ratio / factor;
        d->ratio_high = d->ratio * factor;
    }
}

static void change_by_ranks(struct making *k, struct compare_change *d, const struct row_value *a, size_t na,
                            const struct row_value *b, size_t nb)
{
    double x[COMPARE_RUNS], y[COMPARE_RUNS];
    for (size_t i = 0; i < na; i++)
        x[i] = a[i].quiet;
    for (size_t i = 0; i < nb; i++)
        y[i] = b[i].quiet;
    struct interval shift = interval_of_ranks(x, na, y, nb, false, k->pairs);
    struct interval ratio = interval_of_ranks(x, na, y, nb, true, k->pairs);
    *d = (struct compare_change){shift.center, shift.low, shift.high, ratio.center, ratio.low, ratio.high, COMPARE_SAME};
}

static enum compare_verdict judge(const struct compare_change *d, const struct compare_figure *a, const struct compare_figure *b,
                                  double host)
{
    if (a->there != b->there)
        return b->there ? COMPARE_NEW : COMPARE_GONE;
    if (d->low > 0)
        return COMPARE_SLOWER;
    if (d->high < 0)
        return COMPARE_FASTER;
    return fmax(d->high, -d->low) <= fmax(SMALL_OF_ROW * a->ns, SMALL_OF_HOST * host) ? COMPARE_SAME : COMPARE_UNSURE;
}

/* k->values -> the figures and changes of a row. host: ns of the first side. */
static void fill(struct making *k, struct compare_row *row, double host)
{
    const struct compare_side *sides = k->c->sides;
    const struct row_value *a = k->values, *b = a;
    for (size_t s = 0; s < k->c->n_sides; b += sides[s++].n) {
        row->figures[s] = figure_of(b, sides[s].n, k->c->ranks);
        if (!s)
            continue;
        struct compare_change *d = &row->changes[s];
        if (k->c->ranks)
            change_by_ranks(k, d, a, sides[0].n, b, sides[s].n);
        else
            change_by_errors(d, row->figures[0].ns, error_of(a, sides[0].n), row->figures[s].ns, error_of(b, sides[s].n));
        row->greatest = fmax(row->greatest, fabs(d->ns));
        d->verdict = judge(d, &row->figures[0], &row->figures[s], host);
    }
}

static void fixed_rows(struct making *k)
{
    static const char *const names[] = {[COMPARE_HOST] = "host", [COMPARE_SUM] = "sum", [COMPARE_WALL] = "wall"};
    double host = 0;
    for (size_t i = 1; i < FIXED_ROWS; i++) {
        struct compare_row *row = &k->c->rows[k->c->n_rows];
        enum compare_kind kind = i < OVH_CLASSES ? COMPARE_CLASS : (enum compare_kind)(COMPARE_HOST + (i - OVH_CLASSES));
        bool there = kind != COMPARE_CLASS;
        for (size_t r = 0; r < k->n_models; r++) {
            const struct model *m = k->models[r];
            k->values[r] = kind == COMPARE_CLASS  ? row_of_class(m, (uint32_t)i, k->c->corrected)
                           : kind == COMPARE_WALL ? row_of_wall(m)
                                                  : row_of_sum(m, kind == COMPARE_HOST, k->c->corrected);
            there |= k->values[r].there;
        }
        if (!there)
            continue;
        row->kind = kind;
        row->class_ = kind == COMPARE_CLASS ? (uint32_t)i : 0;
        row->name = kind == COMPARE_CLASS ? trace_class_name((uint32_t)i) : names[kind];
        row->file = "";
        fill(k, row, host);
        k->c->n_rows++;
    }
}

static double host_of(const struct compare *c)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].kind == COMPARE_HOST)
            return c->rows[i].figures[0].ns;
    return 0;
}

static void step_rows(struct making *k)
{
    double host = host_of(k->c);
    for (size_t i = 0; i < k->match.n; i++) {
        struct compare_row *row = &k->c->rows[k->c->n_rows++];
        const struct model_step *first = NULL;
        for (size_t r = 0; r < k->n_models; r++) {
            const struct model_step *s = k->match.at[i * k->n_models + r];
            k->values[r] = row_of_step(k->models[r], s, k->c->corrected);
            first = first ? first : s;
        }
        row->kind = COMPARE_STEP;
        row->class_ = first->class_;
        row->name = first->name;
        row->file = first->file;
        row->line = first->line;
        fill(k, row, host);
    }
    k->c->n_steps = k->match.n;
}

static int by_change(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    return x->greatest > y->greatest ? -1 : x->greatest < y->greatest;
}

static bool make_room(struct making *k)
{
    struct compare *c = k->c;
    size_t rows = FIXED_ROWS + k->match.n;
    c->rows = calloc(rows, sizeof *c->rows);
    c->figures = calloc(rows * c->n_sides, sizeof *c->figures);
    c->changes = calloc(rows * c->n_sides, sizeof *c->changes);
    k->values = calloc(k->n_models, sizeof *k->values);
    k->pairs = calloc((size_t)COMPARE_RUNS * COMPARE_RUNS, sizeof *k->pairs);
    if (!c->rows || !c->figures || !c->changes || !k->values || !k->pairs)
        return false;
    for (size_t i = 0; i < rows; i++) {
        c->rows[i].changes = c->changes + i * c->n_sides;
        c->rows[i].figures = c->figures + i * c->n_sides;
    }
    return true;
}

static bool flatten(struct making *k)
{
    struct compare *c = k->c;
    c->ranks = c->corrected = true;
    for (size_t s = 0; s < c->n_sides; s++) {
        k->n_models += c->sides[s].n;
        c->ranks &= c->sides[s].n >= COMPARE_RANKS;
    }
    k->models = malloc(k->n_models * sizeof(*k->models));
    for (size_t s = 0, at = 0; k->models && s < c->n_sides; s++)
        for (size_t i = 0; i < c->sides[s].n; i++)
            k->models[at++] = c->sides[s].models[i];
    for (size_t i = 0; k->models && i < k->n_models; i++)
        c->corrected &= correct_known(k->models[i]);
    return k->models != NULL;
}

struct compare *compare_make(const struct compare_side *sides, size_t n)
{
    struct making k = {.c = calloc(1, sizeof *k.c)};
    if (!k.c)
        return NULL;
    k.c->sides = sides;
    k.c->n_sides = n;
    bool fine = flatten(&k) && match_steps(&k.match, k.models, k.n_models) && make_room(&k);
    if (fine) {
        fixed_rows(&k);
        step_rows(&k);
        qsort(k.c->rows + k.c->n_rows - k.c->n_steps, k.c->n_steps, sizeof *k.c->rows, by_change);
    }
    match_end(&k.match);
    free(k.models);
    free(k.values);
    free(k.pairs);
    if (fine)
        return k.c;
    compare_free(k.c);
    return NULL;
}

void compare_free(struct compare *c)
{
    if (!c)
        return;
    free(c->rows);
    free(c->figures);
    free(c->changes);
    free(c);
}

/* So many per unit on both sides? Counts of whole runs of units, whose numbers differ. */
static bool as_many(const struct model *a, const struct model *b, uint64_t x, uint64_t y)
{
    return fabs((double)x / (double)a->unit.steady.counted - (double)y / (double)b->unit.steady.counted) < 0.01;
}

static bool same_work(const struct model *a, const struct model *b, double x, double y)
{
    const struct model_gemm *g = &a->unit.counts.largest, *h = &b->unit.counts.largest;
    x /= (double)a->unit.steady.counted;
    y /= (double)b->unit.steady.counted;
    bool turned = g->m == h->n && g->n == h->m; /* row-major callers swap the two */
    bool same_shape = ((g->m == h->m && g->n == h->n) || turned) && g->k == h->k && g->batch == h->batch;
    return fabs(x - y) <= 0.001 * fmax(x, y) && same_shape;
}

unsigned compare_unlike(const struct model *a, const struct model *b)
{
    const struct model_counts *x = &a->unit.counts, *y = &b->unit.counts;
    unsigned u = 0;
    u |= strcmp(a->unit.name, b->unit.name) || a->unit.n_parts != b->unit.n_parts ? COMPARE_UNIT : 0;
    u |= as_many(a, b, x->launches, y->launches) ? 0 : COMPARE_LAUNCHES;
    u |= as_many(a, b, x->gemms, y->gemms) ? 0 : COMPARE_GEMMS;
    u |= x->flops > 0 && y->flops > 0 && !same_work(a, b, x->flops, y->flops) ? COMPARE_SHAPES : 0;
    u |= as_many(a, b, x->syncs + x->blocking_copies, y->syncs + y->blocking_copies) ? 0 : COMPARE_SYNCS;
    u |= as_many(a, b, x->copies, y->copies) ? 0 : COMPARE_COPIES;
    return u;
}
