/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace's records as text, one a line. docs/ovh-report-dump.md is the description; scripts may rely on it.
 */
#ifndef OUT_DUMP_H
#define OUT_DUMP_H

#include "analyzer/trace/trace.h"

#include <stdio.h>

struct out_dump_options {
    bool raw; /* words as they stand in the file instead of balanced spans */
    bool no_definitions;
};

/* Returns the exit status: OVH_EXIT_FINE, OVH_EXIT_DEGRADED where the trace is not whole (a last line says so). */
int out_dump(FILE *to, const struct trace *t, const struct out_dump_options *options);

/* Pieces that dump's files share. */
struct trace_def;
void out_dump_text(FILE *to, const char *text); /* in double quotes; quotes, backslashes and control bytes escaped */
void out_dump_definition(FILE *to, const struct trace_def *def);
/* " name=value ..." of an event record. */
void out_dump_record(FILE *to, const struct trace *t, uint32_t type, uint32_t arg, uint32_t words, const uint32_t *data);

#endif
