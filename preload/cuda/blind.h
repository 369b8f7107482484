/* SPDX-License-Identifier: Apache-2.0
 *
 * What the wrappers cannot see, per object: functions that are bound past them, CUDA runtimes linked into other objects, launches that
 * a runtime makes without a driver call that we see. Told as COVERAGE definitions when the trace ends.
 */
#ifndef OVH_CUDA_BLIND_H
#define OVH_CUDA_BLIND_H

#include "preload/cuda/objects.h"

/* `asking` asked dlsym for cuGetProcAddress: what a CUDA runtime does first. No lock, no allocation. */
OVH_HIDDEN void ovh_blind_runtime(const struct ovh_object *asking);
/* A launch function of a runtime returned, and no driver launch was seen meanwhile. `real`: the runtime's function. */
OVH_HIDDEN OVH_COLD void ovh_blind_launch(const void *real);
/* Writes what is known by now. At the end of a recording; not under a lock of ours. */
OVH_HIDDEN void ovh_blind_tell(void);

#endif
