/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_COMPLAIN_H
#define OVH_WRITER_COMPLAIN_H

#include "preload/writer/thread.h"

/* The one line that this process may say, by one write(2) on descriptor 2: "ovh: FILE: what: why". Later ones, and all where
 * OVH_QUIET=1, say nothing. Never blocks and never raises SIGPIPE. `error`: an errno value, or 0. */
OVH_HIDDEN void ovh_complain(const char *file, const char *what, int error);

/* Holds back a signal that a system call of ours might raise for this thread, and swallows it: SIGXFSZ, SIGPIPE.
 * Signals that the program itself had blocked and pending are left as they were. */
struct ovh_held {
    int signal;
    bool was_pending;
    unsigned long before[16]; /* sigset_t */
};
OVH_HIDDEN void ovh_hold(struct ovh_held *held, int signal);
OVH_HIDDEN void ovh_hold_end(struct ovh_held *held);

#endif
