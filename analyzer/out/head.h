/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands above every form for people: whose trace it is, the machine, and what is not whole.
 */
#ifndef OUT_HEAD_H
#define OUT_HEAD_H

#include "analyzer/out/out.h"

/* Value of a key of the trace (docs/trace-format.md, 5.3), NULL: none. The last definition counts. */
const char *out_value(const struct model *m, const char *key);

bool out_simulated(const struct model *m);

/* The first line: file, "simulated device" where it was one, command. */
void out_first_line(FILE *to, const struct out_report *r, const struct out_options *o);
/* Only what is lost, damaged or not resolved. */
void out_head_losses(FILE *to, const struct out_report *r, const struct out_options *o);
/* The line about the machine. */
void out_machine(FILE *to, const struct model *m);
/* The machine, versions, what was recorded; then notes and losses. */
void out_head(FILE *to, const struct out_report *r, const struct out_options *o);
/* Name of the unit, its calls, the line of statistics. */
void out_unit_head(FILE *to, const struct model *m, const struct out_options *o);
/* Where there is no unit: one sentence that says why. */
void out_no_unit(FILE *to, const struct model *m);
/* "step" or "call": what one unit is called. */
const char *out_unit_word(const struct model *m);
/* Something that the hooks could not see: a COVERAGE definition about an object. */
bool out_is_blind_spot(const struct trace_def *def);
/* Copies printable bytes only; for text of the trace. */
void out_safe(FILE *to, const char *text);

/* Colours; "" where there are none. */
const char *out_bold(const struct out_options *o);
const char *out_red(const struct out_options *o);
const char *out_plain(const struct out_options *o);

#endif
