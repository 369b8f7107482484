/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces -> models -> one form of the report on stdout.
 */
#ifndef OVH_REPORT_REPORT_H
#define OVH_REPORT_REPORT_H

#include "analyzer/options.h"

/* Exit status. A file that cannot be read is said on stderr; the others are reported. */
int report_files(const struct options *o);

/* What weighs more of two exit statuses: bad input, a gate that was missed, one that can't be decided, degraded, fine. */
int report_worst(int a, int b);

#endif
