/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void blocks_begin(struct blocks *b, uint64_t counted)
{
    *b = (struct blocks){.size = (counted + BLOCKS_MOST - 1) / BLOCKS_MOST};
    b->size = b->size ? b->size : 1;
}

static bool keep_sums(struct blocks *b, const struct cct *t)
{
    uint64_t *sums = malloc((t->n + 1u) * sizeof *sums);
    if (!sums)
        return false;
    for (uint32_t i = 0; i < t->n; i++)
        sums[i] = t->nodes[i].unit_self;
    b->sums[b->n] = sums;
    b->n_nodes[b->n] = t->n;
    return true;
}

bool blocks_unit(struct blocks *b, const struct cct *t, uint64_t wall)
{
    bool full = b->n == 0 || (b->units[b->n - 1] == b->size && b->n < BLOCKS_MOST);
    if (full) {
        if (!keep_sums(b, t))
            return false;
        b->n++;
    }
    b->units[b->n - 1]++;
    b->wall[b->n - 1] += (double)wall;
    return true;
}

static uint64_t sum_at(const struct blocks *b, size_t block, uint32_t node)
{
    return node < b->n_nodes[block] ? b->sums[block][node] : 0;
}

void blocks_add(const struct blocks *b, uint32_t node, double *to)
{
    for (size_t i = 0; i < b->n; i++)
        to[i] += ((double)sum_at(b, i + 1, node) - (double)sum_at(b, i, node)) / (double)b->units[i];
}

bool blocks_close(struct blocks *b, const struct cct *t)
{
    if (b->n && !keep_sums(b, t))
        return false;
    /* a last block that is short tells little and would count like a whole one */
    if (b->n > 1 && b->units[b->n - 1] * 2 < b->size) {
        free(b->sums[b->n]);
        b->sums[b->n--] = NULL;
    }
    for (size_t i = 0; i < b->n; i++)
        b->wall[i] /= (double)b->units[i];
    for (uint32_t i = 1; b->n && i < t->n; i++)
        if (t->nodes[i].unit_self)
            blocks_add(b, i, b->classes[t->nodes[i].class_]);
    return true;
}

void blocks_drop(struct blocks *b)
{
    for (size_t i = 0; i <= BLOCKS_MOST; i++) {
        free(b->sums[i]);
        b->sums[i] = NULL;
    }
}

void blocks_end(struct blocks *b)
{
    blocks_drop(b);
    free(b->steps);
    b->steps = NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Correlation of each value with the one before, not below 0. Values far out are cut to `low` and `high`, or one would hide it. */
static double correlation(const double *values, size_t n, double low, double high)
{
    double mean = 0, between = 0, all = 0, before = 0;
    for (size_t i = 0; i < n; i++)
        mean += fmin(fmax(values[i], low), high) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = fmin(fmax(values[i], low), high) - mean;
        all += x * x;
        between += i ? x * before : 0;
        before = x;
    }
    return all > 0 && between > 0 ? between / all : 0;
}

/* Value at a share of the way through sorted ones, between neighbours where it falls there. */
static double quantile(const double *sorted, size_t n, double share)
{
    double at = fmin(fmax(share, 0), 1) * (double)(n - 1), whole = floor(at);
    size_t i = (size_t)whole;
    return i + 1 < n ? sorted[i] + (at - whole) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* Of what happens in few blocks: the median says nothing. */
static struct blocks_figure by_mean(const double *values, size_t n, double mean, double worth)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double reach = n > 1 ? 1.96 * sqrt(squares / (double)(n - 1) / worth) : mean;
    return (struct blocks_figure){mean, mean - reach, mean + reach, mean};
}

struct blocks_figure blocks_typical(const double *values, size_t n)
{
    double sorted[BLOCKS_MOST], mean = 0;
    if (!n || n > BLOCKS_MOST)
        return (struct blocks_figure){0};
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    double r = correlation(values, n, quantile(sorted, n, 0.05), quantile(sorted, n, 0.95));
    double worth = fmax((double)n * (1 - r) / (1 + r), 1), reach = 0.98 / sqrt(worth), median = quantile(sorted, n, 0.5);
    if (median < mean / 2)
        return by_mean(values, n, mean, worth);
    return (struct blocks_figure){median, quantile(sorted, n, 0.5 - reach), quantile(sorted, n, 0.5 + reach),
                                  quantile(sorted, n, 0.25)};
}
