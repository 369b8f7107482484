/* SPDX-License-Identifier: Apache-2.0
 *
 * ovh-report --verify: what of a trace is whole and what is not.
 */
#ifndef OUT_VERIFY_H
#define OUT_VERIFY_H

#include "analyzer/trace/trace.h"

#include <stdio.h>

/* Prints what was checked and found. Returns the exit status: OVH_EXIT_FINE (whole) or OVH_EXIT_DEGRADED. */
int out_verify(FILE *to, const char *file, const struct trace *t);

#endif
