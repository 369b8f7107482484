/* SPDX-License-Identifier: Apache-2.0
 *
 * Which C functions does the program call? Every code object is asked once, when its first frame is recorded.
 *
 * 3.12 and newer (native_monitor.c): its call sites are made to say what they call, by a local CALL event of sys.monitoring; each
 * site says it at its first execution and is an ordinary call from then on (DISABLE). So code costs some microseconds at first
 * sight, and nothing later. Older (native_profile.c): a profile function watches this thread until that first frame returns.
 */
#ifndef OVH_PYTHON_NATIVE_LEARN_H
#define OVH_PYTHON_NATIVE_LEARN_H

#include "preload/python/native_objects.h"

/* NULL, or why nothing can be learned. Attached. */
OVH_HIDDEN OVH_COLD const char *native_monitor_start(void);
OVH_HIDDEN OVH_COLD const char *native_profile_start(void);
/* A code object whose frame is about to run (`entering`), or is running already. */
OVH_HIDDEN OVH_COLD void native_monitor_code(const char *code);
OVH_HIDDEN OVH_COLD void native_profile_code(bool entering);
/* Every call goes to native_check_call until that has seen enough. */
OVH_HIDDEN OVH_COLD void native_monitor_check(void);
OVH_HIDDEN OVH_COLD void native_profile_check(void);

#endif
