/* SPDX-License-Identifier: Apache-2.0
 *
 * Forms of a comparison.
 */
#ifndef OUT_COMPARE_H
#define OUT_COMPARE_H

#include "analyzer/model/gate.h"
#include "analyzer/out/out.h"

struct out_comparison {
    const struct out_report *reports; /* of all sides, one after the other */
    size_t n;
    const struct compare_side *sides;
    size_t n_sides;
    const struct compare *compare; /* NULL: gates of one side only */
    const struct gate_answer *gates;
    size_t n_gates;
};

/* False: no memory, or `to` has an error. */
bool out_compare_text(FILE *to, const struct out_comparison *c, const struct out_options *o);
bool out_compare_json(FILE *to, const struct out_comparison *c, const struct out_options *o);

/* In what two runs differ before any time is looked at: keys of docs/trace-format.md, 5.3, and settings. */
struct out_difference {
    const char *name;  /* "CPU" */
    const char *a, *b; /* "" where it was not recorded */
};
#define OUT_DIFFERENCES 32u
/* Fills `list` (OUT_DIFFERENCES of them). Returns how many there are. */
size_t out_differences(const struct model *a, const struct model *b, struct out_difference *list);

/* The lines of the gates. */
void out_gates(FILE *to, const struct out_comparison *c, const struct out_options *o);
const char *out_gate_word(enum gate_status status);
const char *out_compare_word(enum compare_verdict verdict);
/* The first run of a side, among the reports. */
const struct out_report *out_side(const struct out_comparison *c, size_t side);

#endif
