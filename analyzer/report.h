/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces -> models -> one form of the report on stdout.
 */
#ifndef OVH_REPORT_REPORT_H
#define OVH_REPORT_REPORT_H

#include "analyzer/options.h"

/* Exit status. A file that cannot be read is said on stderr; the others are reported. */
int report_files(const struct options *o);

/* The worst of two exit statuses: bad input, then degraded, then anything else but fine. */
int report_worst(int a, int b);

#endif
