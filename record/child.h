/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the command and stands in for it: signals go through, the status comes back.
 */
#ifndef OVH_RECORD_CHILD_H
#define OVH_RECORD_CHILD_H

/* Runs `command` (NULL-terminated, found through PATH) with the present environment and waits for its end. Signals that others send to
 * ovh-record meanwhile are passed on; those of the terminal reach the command anyway. Returns the status for ovh-record to end with:
 * the command's own, or OVH_EXIT_SIGNAL + N where signal N ended it. Ends ovh-record with one sentence where it cannot be run. */
int record_child_run(char **command);

#endif
