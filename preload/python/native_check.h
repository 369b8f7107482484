/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of what is called is seen? Once in a process, some time after recording began, a tool that sees every call watches
 * NATIVE_CHECKED calls of C functions: sys.monitoring's CALL event, before 3.12 a profile function. For each it is asked which
 * mechanism sees such a call. The answer stands in the trace as COVERAGE.
 */
#ifndef OVH_PYTHON_NATIVE_CHECK_H
#define OVH_PYTHON_NATIVE_CHECK_H

#include "preload/python/native_objects.h"

enum {
    NATIVE_CHECK_AFTER = 1000, /* calls through tp_call: PyTorch's are */
    NATIVE_CHECKED = 2000
};

/* It is time. Attached. */
OVH_HIDDEN OVH_COLD void native_check_begin(void);
/* What the tool saw. False: that was the last one, the tool is to be taken away. */
OVH_HIDDEN OVH_COLD bool native_check_call(const char *callable);

#endif
