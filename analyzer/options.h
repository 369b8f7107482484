/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command line asks for.
 */
#ifndef OVH_REPORT_OPTIONS_H
#define OVH_REPORT_OPTIONS_H

#include "analyzer/model/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mode { MODE_REPORT, MODE_DUMP, MODE_VERIFY };

struct options {
    enum mode mode;
    char **files; /* at least one; side after side */
    size_t n_files;
    size_t *sides; /* by file: which side of the comparison it is a run of, from 0 */
    size_t n_sides;
    bool grouped;       /* sides are told by --base and --change */
    bool each;          /* several traces: one report after the other, no comparison */
    struct gates gates; /* --gate */
    bool raw;            /* --dump=raw: records as they stand in the file */
    bool no_definitions; /* --dump: events only */
    const char *form;    /* of the report: out.h has the names */
    bool table;          /* --table: the form is one of rows */
    bool published;      /* --published */
    double findings;     /* --findings: a share */
    const char *unit;    /* --unit, or NULL: find it */
    int64_t warmup;      /* --warmup, or -1: find it */
    size_t steps;        /* rows of the costliest steps; 0: all */
    bool uncorrected;    /* --raw */
    bool units;          /* JSON: every unit's duration */
};

/* Parses argv; --help, --version and wrong usage end the program here (status 0, 0, OVH_EXIT_BAD). */
void options_parse(struct options *o, int argc, char **argv);
void options_end(struct options *o);

#endif
