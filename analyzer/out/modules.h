/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers of the network: --by module, --by module-type, and their part of the JSON form.
 */
#ifndef OUT_MODULES_H
#define OUT_MODULES_H

#include "analyzer/out/json.h"

/* `modules` of the unit: rows, types, what is outside, backward. null where the trace has no modules. */
json_t *out_modules_json(const struct model *m);
/* One line of the text form: that there are modules, and how to see them. */
void out_modules_hint(FILE *to, const struct model *m);

#endif
