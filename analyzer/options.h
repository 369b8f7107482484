/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command line asks for.
 */
#ifndef OVH_REPORT_OPTIONS_H
#define OVH_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mode { MODE_REPORT, MODE_DUMP, MODE_VERIFY };

struct options {
    enum mode mode;
    char **files; /* at least one; argv's own */
    size_t n_files;
    bool raw;            /* --dump=raw: records as they stand in the file */
    bool no_definitions; /* --dump: events only */
    const char *form;    /* of the report: text, json, tree, timeline */
    const char *unit;    /* --unit, or NULL: find it */
    int64_t warmup;      /* --warmup, or -1: find it */
    size_t steps;        /* rows of the costliest steps; 0: all */
    bool units;          /* JSON: every unit's duration */
};

/* Parses argv; --help, --version and wrong usage end the program here (status 0, 0, OVH_EXIT_BAD). */
void options_parse(struct options *o, int argc, char **argv);

#endif
