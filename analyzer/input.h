/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace file on disk -> an opened trace. The one place of ovh-report that opens trace files.
 */
#ifndef OVH_REPORT_INPUT_H
#define OVH_REPORT_INPUT_H

#include "analyzer/trace/trace.h"

struct input {
    const char *file; /* as the user named it */
    struct trace trace;
    void *bytes;
    size_t size;
    bool mapped;
};

/* False: one sentence was printed to stderr ("ovh-report: FILE: what: why; what to do"), nothing is left open. */
bool input_open(struct input *in, const char *file);
void input_close(struct input *in);

#endif
