/* SPDX-License-Identifier: Apache-2.0
 *
 * OVH_STEPS=A:B: units of work number A to B are recorded, and nothing else. What a unit is, OVH_UNIT says: an NVTX range
 * (nvtx:NAME), which preload/nvtx/ counts, or a Python function, which preload/python/ counts. Each beginning of one counts, from
 * 1, in this process: ranges from the first on, functions from the first CUDA call on (one that is open then is the first).
 *
 *     WAITING    no file; CUDA hooks are disarmed; who counts looks at each beginning and begins recording with number A, so that
 * it is there whole RECORDING  until number B ends: stop.h
 */
#ifndef OVH_WRITER_UNITS_H
#define OVH_WRITER_UNITS_H

#include "preload/writer/thread.h"

enum ovh_units_state { OVH_UNITS_UNREAD, OVH_UNITS_NONE, OVH_UNITS_WAITING, OVH_UNITS_RECORDING, OVH_UNITS_IMPOSSIBLE };
extern OVH_HIDDEN enum ovh_units_state ovh_units_state_now;
OVH_HIDDEN OVH_COLD enum ovh_units_state ovh_units_read(void);

/* OVH_UNITS_NONE where all is recorded. Reads the settings at the first question. */
static inline enum ovh_units_state ovh_units_state(void)
{
    enum ovh_units_state state = __atomic_load_n(&ovh_units_state_now, __ATOMIC_ACQUIRE);
    return ovh_likely(state != OVH_UNITS_UNREAD) ? state : ovh_units_read();
}
/* Are there units to count, and are they functions (ranges)? */
OVH_HIDDEN bool ovh_units_are_functions(void);
OVH_HIDDEN bool ovh_units_are_ranges(void);
/* Is it the name of one? A function's qualified name equals it, or ends with it behind a point; a range's equals it, or begins with
 * what stands before a star. */
OVH_HIDDEN bool ovh_unit_is_function(const char *name);
OVH_HIDDEN bool ovh_unit_is_range(const char *name);

/* WAITING, and a unit begins. True: it is number A: recording begins with it (the state is RECORDING now, hooks are armed), and it
 * is yet to be counted by the function below. Else it has been counted. */
OVH_HIDDEN OVH_COLD bool ovh_unit_is_awaited(void);
enum ovh_unit_place { OVH_UNIT_INSIDE, OVH_UNIT_LAST, OVH_UNIT_BEHIND }; /* of A to B */
/* RECORDING, and a unit begins. */
OVH_HIDDEN OVH_COLD enum ovh_unit_place ovh_unit_begins(void);

/* Units cannot be counted: nothing is recorded, and one line says so. `why`: static text. */
OVH_HIDDEN OVH_COLD void ovh_units_impossible(const char *why);

/* Set by preload/python/: called (attached or not, outside of any hook's work) at hooked calls while functions are awaited, until
 * they are watched. */
extern OVH_HIDDEN void (*ovh_units_watch_functions)(void);

#endif
