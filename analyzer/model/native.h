/* SPDX-License-Identifier: Apache-2.0
 *
 * What the recorder's check found about C functions called from Python: COVERAGE definitions whose text begins with "native".
 */
#ifndef MODEL_NATIVE_H
#define MODEL_NATIVE_H

#include "analyzer/trace/trace.h"

enum { NATIVE_NAMES = 8 };

/* Calls that were checked, by how they are seen. Names are those of the trace; what more of them there are counts in `unseen` only.
 */
struct model_native {
    bool checked;
    uint64_t slot, tp_call, pointer, unseen;
    size_t n;
    struct {
        const char *name;
        uint64_t calls;
    } unseen_names[NATIVE_NAMES];
};

void native_coverage(struct model_native *native, const struct trace_def *def);

#endif
