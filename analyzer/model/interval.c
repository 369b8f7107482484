/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/interval.h"

#include <stdlib.h>
#include <string.h>

#define ERROR 0.025 /* at each end */
#define MOST 4096u  /* pairs for which chances are counted exactly: 64 runs of each */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The statistic of Mann and Whitney is the number of pairs with a above b. chance[u]: of it being u where there is no shift: the
 * coefficients of the product over i = 1 .. na of (1 - x^(nb + i)) / (1 - x^i), by their sum. Sizes stay below 1e38 here. */
static void chances(double *chance, size_t na, size_t nb)
{
    size_t pairs = na * nb;
    double sum = 0;
    memset(chance, 0, (pairs + 1) * sizeof *chance);
    chance[0] = 1;
    for (size_t i = 1; i <= na; i++) {
        for (size_t u = pairs; u >= nb + i; u--)
            chance[u] -= chance[u - nb - i];
        for (size_t u = i; u <= pairs; u++)
            chance[u] += chance[u - i];
    }
    for (size_t u = 0; u <= pairs; u++)
        sum += chance[u];
    for (size_t u = 0; u <= pairs; u++)
        chance[u] /= sum;
}

size_t interval_cut(size_t na, size_t nb)
{
    double chance[MOST + 1], below = 0;
    size_t cut = 0;
    if (na * nb > MOST || !na || !nb)
        return 0;
    chances(chance, na, nb);
    while (cut <= na * nb && below + chance[cut] <= ERROR)
        below += chance[cut++];
    return cut ? cut - 1 : 0;
}

struct interval interval_of_ranks(const double *a, size_t na, const double *b, size_t nb, bool ratio, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++)
            if (!ratio || a[i] > 0)
                room[n++] = ratio ? b[j] / a[i] : b[j] - a[i];
    if (!n)
        return (struct interval){0};
    qsort(room, n, sizeof *room, by_value);
    size_t cut = interval_cut(na, nb);
    cut = cut < n / 2 ? cut : 0;
    return (struct interval){(room[(n - 1) / 2] + room[n / 2]) / 2, room[cut], room[n - 1 - cut]};
}
