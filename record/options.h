/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of ovh-record.
 */
#ifndef OVH_RECORD_OPTIONS_H
#define OVH_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct record_options {
    const char *out;       /* -o: where the trace goes; never NULL */
    bool simulate;         /* --sim */
    const char *costs;     /* --costs: a trace or a text of costs; NULL: none */
    bool quiet;            /* -q: nothing on stderr but errors */
    const char **settings; /* --set and its short forms: "OVH_NAME=VALUE" each, in the order given */
    size_t setting_count;
    char **command;        /* what is to run, NULL-terminated: argv of main from the first word that is not an option */
};

/* Fills *options from argv (which must outlive it). Ends the process with OVH_EXIT_BAD after one sentence on stderr where the
 * command line is wrong, and with 0 after --help and --version. */
void record_options_parse(int argc, char **argv, struct record_options *options);

#endif
