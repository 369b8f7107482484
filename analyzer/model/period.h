/* SPDX-License-Identifier: Apache-2.0
 *
 * The period of a loop from the sequence of calls that its frame makes: which string of calls repeats. A pure function of symbols.
 */
#ifndef PERIOD_PERIOD_H
#define PERIOD_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERIOD_GAP 0u              /* a symbol that matches nothing, itself included: the frame was left here */
#define PERIOD_LAUNCHES (1u << 31) /* flag of a symbol: the call launches something */
#define PERIOD_LOOK 200000u        /* so many calls, from the middle of the sequence, are looked at to find the string */

struct period {
    size_t first;  /* where the repeated string was found */
    size_t length; /* its symbols; 0: nothing repeats */
    size_t times;  /* how often it was seen where it was looked for */
    double share;  /* of the launching calls there, those inside the string */
};

/* The string that explains the most launching calls; of equal ones the shortest, then the one that begins earliest. It begins where
 * the loop begins as far as that can be told: it is turned back over equal calls before its first occurrence.
 * Needs at least `least` repetitions. False: no memory. */
bool period_find(struct period *p, const uint32_t *symbols, size_t n, size_t least);

/* Does the string occur at `at`? */
bool period_at(const struct period *p, const uint32_t *symbols, size_t n, size_t at);

#endif
