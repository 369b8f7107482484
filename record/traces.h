/* SPDX-License-Identifier: Apache-2.0
 *
 * Which trace files a run has left.
 */
#ifndef OVH_RECORD_TRACES_H
#define OVH_RECORD_TRACES_H

#include <stdbool.h>
#include <stdint.h>

/* Where the traces go: the -o file, taken apart. */
struct record_place {
    char *folder;   /* absolute */
    char *shown;    /* the folder as the user named it, with its slash; "" where it was not named */
    char *stem;     /* of trace.bin: "trace" */
    char *suffix;   /* of trace.bin: ".bin"; "" where there is none */
    char *path;     /* the whole, absolute: the command may change its working directory before its first CUDA call */
    uint64_t since; /* CLOCK_REALTIME, ns: traces that start before it are not this run's */
};

/* Ends ovh-record with one sentence where the folder does not exist or cannot be written to. */
struct record_place record_place_of(const char *out);

/* Says on stderr which traces the run left, or that there is none and why that may be. Returns how many. */
unsigned record_traces_say(const struct record_place *place);

#endif
