/* SPDX-License-Identifier: Apache-2.0
 *
 * Forms of the report: model -> text. One file per form behind one table of functions; a form only reads the model.
 */
#ifndef OUT_OUT_H
#define OUT_OUT_H

#include "analyzer/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct out_options {
    bool colour;  /* out_wants_colour */
    int width;    /* columns; out_width */
    size_t steps; /* rows of the costliest steps; 0: all */
    bool raw;     /* times as they were measured, with the probes in them */
    bool units;   /* JSON: every unit's duration (the model must have kept them) */
    double findings; /* share of the host's time that a finding must cost (model/findings) */
    bool published; /* table: the issues' rows too */
};

struct out_report {
    const char *file; /* as the user named it */
    const struct model *model;
};

struct out_ops {
    const char *name; /* as --format and the options say it: text, json, tree, timeline, table, csv, markdown, costs */
    const char *what; /* one line for --help */
    /* All traces of one run. False: no memory, or `to` has an error. */
    bool (*write)(FILE *to, const struct out_report *reports, size_t n, const struct out_options *options);
};

extern const struct out_ops out_text, out_json, out_tree, out_timeline, out_modules, out_module_types;
extern const struct out_ops out_backends, out_backends_csv, out_backends_markdown, out_costs;

/* NULL: there is no such form. */
const struct out_ops *out_find(const char *name);

/* Colour only on a terminal, never with NO_COLOR set, never on a dumb terminal. */
bool out_wants_colour(FILE *to);
/* Columns of the terminal, of COLUMNS, else 120. */
int out_width(FILE *to);

/* OVH_EXIT_FINE, or OVH_EXIT_DEGRADED when something was lost, damaged or not resolved in any of them. */
int out_status(const struct out_report *reports, size_t n);

#endif
