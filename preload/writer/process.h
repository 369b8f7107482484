/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of the recorder in a process: nothing at load, everything at the first hooked call, a new beginning in the child of a fork,
 * an end mark at exit.
 */
#ifndef OVH_WRITER_PROCESS_H
#define OVH_WRITER_PROCESS_H

#include "preload/writer/thread.h"

/* Opens the trace if that has not been done. True: there is one. Any thread. */
OVH_HIDDEN bool ovh_process_open(void);
/* Has it been? */
OVH_HIDDEN bool ovh_process_is_open(void);
/* What the trace should also say but the first hooked call need not wait for: head, objects. Keeper, or inline without one. */
OVH_HIDDEN void ovh_process_late(void);
/* A child made by a bare clone: its handlers did not run. A system call. */
OVH_HIDDEN bool ovh_process_is_child(void);
OVH_HIDDEN void ovh_process_forked(void);
/* Children of fork are told apart from now on. At the latest when the trace is opened; earlier where hooks were switched before. */
OVH_HIDDEN void ovh_process_watch_forks(void);
/* Recording is over though the process goes on (stop.h), and the keeper is done: losses, END, and the file is let go of. */
OVH_HIDDEN OVH_COLD void ovh_process_stopped(void);

#endif
