/* SPDX-License-Identifier: Apache-2.0
 *
 * Made stand-ins are kept: $XDG_CACHE_HOME/ovh/sim/KEY/ (else ~/.cache), readable by their owner alone.
 */
#ifndef OVH_STANDIN_CACHE_H
#define OVH_STANDIN_CACHE_H

#include "sim/standin/plan.h"

/* The folder of the plan's stand-ins, made if it is not there (whole or not at all: several processes may come at once). The caller
 * frees it. NULL: `error` says why and what to do, in `room` bytes. */
char *standin_cache(const struct standin_plan *plan, char *error, size_t room);

#endif
