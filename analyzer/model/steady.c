/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS 40 /* the run is cut into about so many windows */
#define WINDOW_LEAST 5
#define WINDOW_MOST 1000
#define CLOSE 1.05       /* a window counts as settled up to so many times the later windows' median, */
#define SPREADS 4        /* or so many times their scatter above it */
#define FIRST_OUT 1.5    /* single first units that take longer than so many medians are warm-up */
#define PAUSE_MEDIANS 5  /* a pause takes at least so many medians ... */
#define PAUSE_SPREADS 30 /* ... and lies so many times the scatter (median deviation) above */
#define PAUSE_SHARE 0.02 /* what happens to more units than that is no rare pause */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Radix sort by bytes, least first; bytes that are equal in all values cost nothing. `room` takes n values. Durations are short
 * numbers: two or three rounds, where comparing would take twenty. */
static void sort_many(uint64_t *a, size_t n, uint64_t *room)
{
    uint64_t differs = 0, *from = a, *to = room;
    for (size_t i = 1; i < n; i++)
        differs |= a[i] ^ a[0];
    for (unsigned shift = 0; shift < 64 && differs >> shift; shift += 8) {
        size_t start[257] = {0};
        if (!(differs >> shift & 0xff))
            continue;
        for (size_t i = 0; i < n; i++)
            start[(from[i] >> shift & 0xff) + 1]++;
        for (size_t b = 1; b < 256; b++)
            start[b] += start[b - 1];
        for (size_t i = 0; i < n; i++)
            to[start[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *swap = from;
        from = to, to = swap;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}

/* Sorts `a`; for few values. */
static uint64_t median_of(uint64_t *a, size_t n)
{
    qsort(a, n, sizeof *a, by_value);
    return a[n / 2];
}

/* Median distance from `center`. `room` takes n values. */
static uint64_t scatter_of(const uint64_t *a, size_t n, uint64_t center, uint64_t *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = a[i] > center ? a[i] - center : center - a[i];
    return median_of(room, n);
}

/* The same of sorted values: those within a distance are a stretch around the center, which grows to the nearer side. */
static uint64_t scatter_of_sorted(const uint64_t *sorted, size_t n)
{
    size_t low = n / 2, high = n / 2; /* [low, high] is the stretch */
    uint64_t center = sorted[n / 2], distance = 0;
    while (high - low + 1 <= n / 2) {
        bool down = low > 0 && (high + 1 == n || center - sorted[low - 1] <= sorted[high + 1] - center);
        distance = down ? center - sorted[--low] : sorted[++high] - center;
    }
    return distance;
}

/* The first window from which on the run looks like its second half. */
static size_t settled_window(const uint64_t *medians, size_t windows, uint64_t *room, uint64_t *typical)
{
    size_t half = windows / 2, later = windows - half;
    memcpy(room, medians + half, later * sizeof *room);
    uint64_t center = median_of(room, later);
    uint64_t scatter = scatter_of(medians + half, later, center, room);
    double limit = fmax((double)center * CLOSE, (double)center + SPREADS * (double)scatter);
    *typical = center;
    size_t w = 0;
    while (w < half && !((double)medians[w] <= limit && (double)medians[w + 1] <= limit))
        w++;
    return w;
}

/* How many of the first units are warm-up: whole windows, and then single slow units up to the first three good ones in a row. */
static size_t find_warmup(const uint64_t *wall, size_t n, uint64_t *room)
{
    if (n < 2 * WINDOW_LEAST)
        return n > 2 ? 1 : 0;
    size_t size = n / WINDOWS, windows;
    size = size < WINDOW_LEAST ? WINDOW_LEAST : size > WINDOW_MOST ? WINDOW_MOST : size;
    windows = n / size;
    uint64_t *medians = room, *spare = room + windows + size, typical;
    for (size_t w = 0; w < windows; w++) { /* room[w ..] is free for the window's copy: w + size <= windows + size */
        memcpy(room + windows, wall + w * size, size * sizeof *room);
        medians[w] = median_of(room + windows, size);
    }
    size_t start = settled_window(medians, windows, spare, &typical) * size, good = 0, i = start;
    for (; i < n / 2 && good < 3; i++)
        good = (double)wall[i] <= (double)typical * FIRST_OUT ? good + 1 : 0;
    return good == 3 ? i - 3 : start;
}

/* Sorted values -> from where on they are pauses. */
static uint64_t pause_limit(const uint64_t *sorted, size_t n)
{
    if (n < 20)
        return UINT64_MAX;
    uint64_t median = sorted[n / 2], scatter = scatter_of_sorted(sorted, n);
    double limit = fmax((double)median * PAUSE_MEDIANS, (double)median + PAUSE_SPREADS * (double)scatter);
    size_t above = 0;
    while (above < n && (double)sorted[n - 1 - above] > limit)
        above++;
    return above == 0 || (double)above > PAUSE_SHARE * (double)n ? UINT64_MAX : sorted[n - 1 - above];
}

void steady_median_ranks(size_t n, size_t *low, size_t *high)
{
    /* The number of values below the median is binomial(n, 1/2): exact for small n, by its normal limit above. */
    size_t k = 0;
    if (n <= 1000) {
        double p = pow(0.5, (double)n), below = 0;
        for (size_t i = 0; i < n && below + p <= 0.025; i++) {
            below += p;
            k = i + 1;
            p *= (double)(n - i) / (double)(i + 1);
        }
    } else {
        k = (size_t)floor(((double)n - 1.96 * sqrt((double)n)) / 2);
    }
    /* values of ranks k-1 and n-k (from 0) miss it with at most 2.5 % each */
    *low = k ? k - 1 : 0;
    *high = n ? n - 1 - *low : 0;
}

/* Value that at least `share` of the sorted values do not exceed (nearest rank). */
static uint64_t rank_value(const uint64_t *sorted, size_t n, double share)
{
    size_t rank = (size_t)ceil(share * (double)n);
    return sorted[rank ? rank - 1 : 0];
}

static void describe(struct steady *s, const uint64_t *sorted)
{
    size_t n = s->counted, low, high;
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        s->sum += sorted[i];
    s->mean = (double)s->sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((double)sorted[i] - s->mean) * ((double)sorted[i] - s->mean);
    s->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    s->min = sorted[0];
    s->max = sorted[n - 1];
    s->median = n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
    s->p90 = rank_value(sorted, n, 0.90);
    s->p99 = rank_value(sorted, n, 0.99);
    steady_median_ranks(n, &low, &high);
    s->low = sorted[low];
    s->high = sorted[high];
}

bool steady_find(struct steady *s, const uint64_t *wall, size_t n, int64_t warmup)
{
    *s = (struct steady){.n = n, .pause_above = UINT64_MAX};
    if (!n)
        return true;
    uint64_t *room = malloc((2 * n + 2 * WINDOW_MOST + 8) * sizeof *room);
    if (!room)
        return false;
    s->warmup = warmup < 0 ? find_warmup(wall, n, room) : (uint64_t)warmup < n ? (size_t)warmup : n - 1;
    size_t rest = n - s->warmup;
    uint64_t *sorted = room, *spare = room + n;
    memcpy(sorted, wall + s->warmup, rest * sizeof *sorted);
    sort_many(sorted, rest, spare);
    s->pause_above = pause_limit(sorted, rest);
    s->counted = rest;
    while (s->counted && sorted[s->counted - 1] > s->pause_above)
        s->pause_sum += sorted[--s->counted];
    s->pauses = rest - s->counted;
    s->pause_max = s->pauses ? sorted[rest - 1] : 0;
    describe(s, sorted);
    free(room);
    return true;
}
