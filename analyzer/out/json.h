/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of the JSON form that its files share. docs/report-json.md is the schema.
 */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "analyzer/out/out.h"

#include <jansson.h>

/* Text of a trace may be anything; JSON takes UTF-8 only. NULL gives null. */
json_t *out_json_text(const char *s);
/* The whole object, to which keys may be added. */
json_t *out_json_reports(const struct out_report *reports, size_t n, const struct out_options *o);
/* Prints and releases it. False: no memory, or `to` has an error. */
bool out_json_print(FILE *to, json_t *all);

#endif
