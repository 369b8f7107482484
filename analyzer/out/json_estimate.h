/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate of the profiler's own cost as JSON.
 */
#ifndef OUT_JSON_ESTIMATE_H
#define OUT_JSON_ESTIMATE_H

#include "analyzer/model/model.h"

#include <jansson.h>

/* A new reference. */
json_t *out_json_estimate(const struct model *m);

#endif
