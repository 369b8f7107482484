/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_LEAST 3u      /* of a window: fewer are no measurement */
#define SAME_MODE 0.15      /* the two neighbours of a window differ by less */
#define TRIM 0.25           /* of a level's ratios, at each end, left out of their mean */
#define RESAMPLES 200       /* of the bootstrap */
#define REAL_CODE 1.5       /* a probe in real code costs 1.3 to 2 times what it costs in a tight loop (docs/results) */
#define PRIOR_SPREAD 2.0    /* standard deviation of a prior, in its tight loop's costs */
#define SIGMA_LEAST 1e-4    /* of a level's ratio: windows that are all equal say no more than that */

static const uint32_t level_of_kind[ESTIMATE_KINDS] = {1, 1, 2, 3};

/* A window beside its two neighbours of level 0. */
struct session {
    double ratio;   /* to the mean of both */
    double control; /* the one before it: every window of level 0 once, or their scatter would look smaller than it is */
};
struct level {
    struct session *list;
    size_t n;
};
struct data {
    struct level levels[ESTIMATE_LEVELS];
    const struct estimate_probe *probes;
    double prior_least;
    uint32_t top;
    double *room; /* for the largest level */
    uint64_t random;
};
/* What one sample of the sessions says. */
struct answer {
    double control, ratio[ESTIMATE_LEVELS], sigma[ESTIMATE_LEVELS];
    double cost[ESTIMATE_KINDS];
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Mean of the middle half of `a` (sorted here), and its standard error: that of a trimmed mean, from the winsorised variance. */
static double middle_mean(double *a, size_t n, double *sigma)
{
    size_t cut = (size_t)((double)n * TRIM), kept = n - 2 * cut;
    double sum = 0, all = 0, squares = 0;
    qsort(a, n, sizeof *a, by_value);
    for (size_t i = cut; i < n - cut; i++)
        sum += a[i];
    for (size_t i = 0; i < n; i++)
        all += i < cut ? a[cut] : i >= n - cut ? a[n - cut - 1] : a[i];
    for (size_t i = 0; i < n; i++) {
        double x = (i < cut ? a[cut] : i >= n - cut ? a[n - cut - 1] : a[i]) - all / (double)n;
        squares += x * x;
    }
    double deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 1;
    *sigma = deviation / ((1 - 2 * TRIM) * sqrt((double)n)) + SIGMA_LEAST;
    return sum / (double)kept;
}

/* Gauss, with the largest pivot; `n` unknowns. Positive definite: there is a solution. */
static void solve(double a[ESTIMATE_KINDS][ESTIMATE_KINDS + 1], size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < n; j++)
            best = fabs(a[j][i]) > fabs(a[best][i]) ? j : best;
        for (size_t k = 0; k <= n && best != i; k++) {
            double swap = a[i][k];
            a[i][k] = a[best][k];
            a[best][k] = swap;
        }
        for (size_t j = i + 1; j < n; j++) {
            double times = a[j][i] / a[i][i];
            for (size_t k = i; k <= n; k++)
                a[j][k] -= times * a[i][k];
        }
    }
    for (size_t i = n; i-- > 0;) {
        x[i] = a[i][n];
        for (size_t k = i + 1; k < n; k++)
            x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
}

static double probes_at(const struct data *d, size_t kind, uint32_t level)
{
    return level >= level_of_kind[kind] ? d->probes[kind].per_unit : 0;
}

static bool kind_counts(const struct data *d, size_t kind)
{
    return probes_at(d, kind, d->top) > 0;
}

/* Least squares of the kinds in `take`: the levels' differences and the priors, each by its spread. */
static void fit_some(struct answer *a, const struct data *d, const size_t *take, size_t n)
{
    double m[ESTIMATE_KINDS][ESTIMATE_KINDS + 1] = {{0}}, x[ESTIMATE_KINDS];
    for (size_t i = 0; i < n; i++) {
        double prior = d->probes[take[i]].prior, spread = prior * PRIOR_SPREAD;
        spread = spread > d->prior_least ? spread : d->prior_least;
        m[i][i] += 1 / (spread * spread);
        m[i][n] += prior * REAL_CODE / (spread * spread);
    }
    for (uint32_t level = 1; level < ESTIMATE_LEVELS; level++) {
        double sigma = a->sigma[level] * a->control, weight = 1 / (sigma * sigma);
        for (size_t i = 0; d->levels[level].n && i < n; i++) {
            double mine = probes_at(d, take[i], level) * weight;
            for (size_t k = 0; k < n; k++)
                m[i][k] += mine * probes_at(d, take[k], level);
            m[i][n] += mine * (a->ratio[level] - 1) * a->control;
        }
    }
    solve(m, n, x);
    for (size_t i = 0; i < n; i++)
        a->cost[take[i]] = x[i];
}

/* No probe costs less than nothing: kinds that come out negative are taken as free, and the others fitted again. */
static void fit(struct answer *a, const struct data *d)
{
    size_t take[ESTIMATE_KINDS], n = 0;
    for (size_t k = 0; k < ESTIMATE_KINDS; k++)
        if (kind_counts(d, k))
            take[n++] = k;
    for (bool again = true; again && n;) {
        size_t kept = 0;
        fit_some(a, d, take, n);
        for (size_t i = 0; i < n; i++)
            if (a->cost[take[i]] < 0)
                a->cost[take[i]] = 0;
            else
                take[kept++] = take[i];
        again = kept < n;
        n = kept;
    }
}

static double probes_cost(const struct data *d, const struct answer *a)
{
    double sum = 0;
    for (size_t k = 0; k < ESTIMATE_KINDS; k++)
        sum += probes_at(d, k, d->top) * a->cost[k];
    return sum;
}

/* xorshift64*: only for drawing samples. */
static size_t below(struct data *d, size_t n)
{
    d->random ^= d->random >> 12;
    d->random ^= d->random << 25;
    d->random ^= d->random >> 27;
    return (size_t)(((d->random * 2685821657736338717u) >> 32) * n >> 32);
}

/* From every `step`-th session of each level beginning with `first`, or as many drawn from those. */
static struct answer answer_of(struct data *d, size_t first, size_t step, bool draw)
{
    struct answer a = {0};
    double controls = 0;
    size_t all = 0;
    for (uint32_t level = 1; level < ESTIMATE_LEVELS; level++) {
        const struct level *l = &d->levels[level];
        size_t n = l->n > first ? (l->n - first + step - 1) / step : 0;
        for (size_t i = 0; i < n; i++) {
            const struct session *s = &l->list[first + step * (draw ? below(d, n) : i)];
            d->room[i] = s->ratio;
            controls += s->control;
        }
        all += n;
        a.sigma[level] = 1;
        a.ratio[level] = n ? middle_mean(d->room, n, &a.sigma[level]) : 1;
    }
    a.control = all ? controls / (double)all : 0;
    fit(&a, d);
    return a;
}

/* Corrected against control: every other window, corrected by costs that the windows between gave. Not the mean of both ways round:
 * what one half has too much the other has too little, and they would cancel. */
static double held_out(struct data *d, bool draw)
{
    struct answer checked = answer_of(d, 0, 2, draw), fitted = answer_of(d, 1, 2, draw);
    return checked.ratio[d->top] - 1 - probes_cost(d, &fitted) / fitted.control;
}

static void interval_of(struct estimate_interval *x, double *sample)
{
    qsort(sample, RESAMPLES, sizeof *sample, by_value);
    x->low = sample[RESAMPLES * 25 / 1000];
    x->high = sample[RESAMPLES - 1 - RESAMPLES * 25 / 1000];
    x->low = x->low < x->value ? x->low : x->value;
    x->high = x->high > x->value ? x->high : x->value;
}

enum { RAW, CORRECTED, CONTROL, ERROR, COST, FIGURES = COST + ESTIMATE_KINDS };

static void figures(double *to, struct data *d, const struct answer *a, bool draw)
{
    to[CONTROL] = a->control;
    to[RAW] = a->ratio[d->top] * a->control;
    to[CORRECTED] = to[RAW] - probes_cost(d, a);
    to[ERROR] = held_out(d, draw);
    for (size_t k = 0; k < ESTIMATE_KINDS; k++)
        to[COST + k] = a->cost[k];
}

static void estimate_all(struct estimate *e, struct data *d)
{
    double (*sample)[RESAMPLES];
    double values[FIGURES];
    struct estimate_interval *to[FIGURES] = {&e->raw, &e->corrected, &e->control, &e->error};
    struct answer a = answer_of(d, 0, 1, false);
    sample = calloc(FIGURES, sizeof *sample);
    if (!sample) {
        e->why = ESTIMATE_NO_MEMORY;
        return;
    }
    for (size_t k = 0; k < ESTIMATE_KINDS; k++)
        to[COST + k] = &e->cost[k];
    figures(values, d, &a, false);
    for (size_t i = 0; i < FIGURES; i++)
        to[i]->value = values[i];
    for (size_t r = 0; r < RESAMPLES; r++) {
        a = answer_of(d, 0, 1, true);
        figures(values, d, &a, true);
        for (size_t i = 0; i < FIGURES; i++)
            sample[i][r] = values[i];
    }
    for (size_t i = 0; i < FIGURES; i++)
        interval_of(to[i], sample[i]);
    free(sample);
}

/* A window is compared with its own two neighbours: close in time, and in the same mode of the machine. */
static void collect(struct estimate *e, struct data *d, const struct estimate_window *w, size_t n)
{
    for (size_t i = 1; i + 1 < n; i++) {
        const struct estimate_window *before = &w[i - 1], *behind = &w[i + 1];
        if (!w[i].level || w[i].level >= ESTIMATE_LEVELS || before->level || behind->level)
            continue;
        if (w[i].n < UNITS_LEAST || before->n < UNITS_LEAST || behind->n < UNITS_LEAST)
            continue;
        double control = (before->mean + behind->mean) / 2;
        if (!(control > 0) || fabs(before->mean - behind->mean) > SAME_MODE * control) {
            e->modes++;
            continue;
        }
        struct level *l = &d->levels[w[i].level];
        l->list[l->n++] = (struct session){.ratio = w[i].mean / control, .control = before->mean};
        e->sessions[w[i].level]++;
    }
}

static enum estimate_why why_not(const struct estimate *e, const struct estimate_window *w, size_t n)
{
    bool control = false, other = false;
    for (size_t i = 0; i < n; i++) {
        control |= w[i].level == 0;
        other |= w[i].level != 0;
    }
    return n < 2 ? ESTIMATE_ONE_LEVEL : !control || !other ? ESTIMATE_NO_CONTROL
           : e->top >= ESTIMATE_LEVELS || e->sessions[e->top] < ESTIMATE_LEAST ? ESTIMATE_FEW : ESTIMATE_FINE;
}

void estimate_make(struct estimate *e, const struct estimate_window *windows, size_t n, uint32_t top,
                   const struct estimate_probe probes[ESTIMATE_KINDS], double least)
{
    struct data d = {.probes = probes, .prior_least = least, .top = top, .random = 88172645463325252u};
    *e = (struct estimate){.top = top};
    struct session *room = calloc(n * ESTIMATE_LEVELS + 1, sizeof *room);
    d.room = calloc(n + 1, sizeof *d.room);
    if (room && d.room) {
        for (uint32_t i = 0; i < ESTIMATE_LEVELS; i++)
            d.levels[i].list = room + n * i;
        collect(e, &d, windows, n);
        e->why = why_not(e, windows, n);
        if (e->why == ESTIMATE_FINE)
            estimate_all(e, &d);
    } else {
        e->why = ESTIMATE_NO_MEMORY;
    }
    free(d.room);
    free(room);
}
