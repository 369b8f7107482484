/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_NATIVE_CALIBRATE_H
#define OVH_PYTHON_NATIVE_CALIBRATE_H

#include "preload/writer/thread.h"

/* What recording a C function by slot costs here, in a tight loop: into the trace (OVH_PROBE_SLOT). Some 50 us. A prior only. Attached. */
OVH_HIDDEN OVH_COLD void native_calibrate(void);

#endif
