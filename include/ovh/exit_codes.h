/* SPDX-License-Identifier: Apache-2.0
 *
 * Exit status of all ovh tools. ovh-record returns its child's own status, except for failures of its own.
 */
#ifndef OVH_EXIT_CODES_H
#define OVH_EXIT_CODES_H

enum ovh_exit {
    OVH_EXIT_FINE = 0,
    OVH_EXIT_WORSE = 1,    /* a gate was missed: the newer run is slower than allowed */
    OVH_EXIT_BAD = 2,      /* bad input or usage: no result; one sentence on stderr says why */
    OVH_EXIT_UNSURE = 3,   /* a gate can't be decided: the intervals overlap */
    OVH_EXIT_DEGRADED = 4, /* there is a result, but something was lost, damaged or not resolved: the result says what */

    /* ovh-record, as shells use them: */
    OVH_EXIT_CANNOT_RUN = 126, /* the command was found and cannot be executed */
    OVH_EXIT_NOT_FOUND = 127,  /* there is no such command */
    OVH_EXIT_SIGNAL = 128      /* + N: signal N ended the command */
};

#endif
