/* SPDX-License-Identifier: Apache-2.0
 *
 * How far apart two groups of runs are: the shift between them and its 95 % interval. Pure functions.
 */
#ifndef INTERVAL_INTERVAL_H
#define INTERVAL_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double center, low, high;
};

/* b less a, by ranks: the median of all differences between a run of b and a run of a (Hodges and Lehmann), with the interval that
 * belongs to the test of Mann and Whitney. No distribution is assumed; with 7 of each or more, one bad run of each moves it little.
 * `ratio`: b divided by a instead. `room` takes na * nb values. At least 4 of each, or the interval is no 95 %. */
struct interval interval_of_ranks(const double *a, size_t na, const double *b, size_t nb, bool ratio, double *room);

/* How many of the na * nb sorted differences lie outside the interval, at each end. */
size_t interval_cut(size_t na, size_t nb);

#endif
