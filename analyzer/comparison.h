/* SPDX-License-Identifier: Apache-2.0
 *
 * Several traces -> a comparison and its gates on stdout; of one trace: its gates.
 */
#ifndef OVH_REPORT_COMPARISON_H
#define OVH_REPORT_COMPARISON_H

#include "analyzer/options.h"
#include "analyzer/out/out.h"

struct comparison {
    const struct options *o;
    const struct out_report *reports; /* those that could be opened */
    size_t n;
    int status; /* out: of the gates; OVH_EXIT_BAD where they could not be looked at */
};

/* Are there sides to compare, or gates, and is the form one that shows them? */
bool comparison_wanted(const struct comparison *c);
/* False: no memory, or stdout has an error. */
bool comparison_write(struct comparison *c, const struct out_options *form);

#endif
