/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings ("easy wins") of a trace, for people and for programs.
 */
#ifndef OUT_FINDINGS_H
#define OUT_FINDINGS_H

#include "analyzer/out/out.h"

#include <jansson.h>

/* False: no memory. Prints nothing where there is no unit of work. */
bool out_findings(FILE *to, const struct model *m, const struct out_options *o);
json_t *out_findings_json(const struct model *m, const struct out_options *o);

#endif
