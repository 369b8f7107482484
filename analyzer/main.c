/* SPDX-License-Identifier: Apache-2.0
 *
 * ovh-report: options -> traces -> one function per mode. Nothing else happens here.
 */
#include "analyzer/input.h"
#include "analyzer/options.h"
#include "analyzer/out/dump.h"
#include "analyzer/out/verify.h"
#include "analyzer/report.h"
#include "ovh/exit_codes.h"

#include <stdio.h>

/* The modes that look at one file after the other. */
static int each_file(const struct options *o)
{
    int status = OVH_EXIT_FINE;
    for (size_t i = 0; i < o->n_files; i++) {
        struct input in;
        if (!input_open(&in, o->files[i])) {
            status = OVH_EXIT_BAD;
            continue;
        }
        const struct out_dump_options dump = {.raw = o->raw, .no_definitions = o->no_definitions};
        status = report_worst(status, o->mode == MODE_DUMP ? out_dump(stdout, &in.trace, &dump) : out_verify(stdout, in.file, &in.trace));
        input_close(&in);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    options_parse(&options, argc, argv);
    int status = OVH_EXIT_FINE;
    switch (options.mode) {
    case MODE_DUMP:
    case MODE_VERIFY:
        status = each_file(&options);
        break;
    case MODE_REPORT:
        status = report_files(&options);
        break;
    }
    options_end(&options);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "ovh-report: cannot write the output: is the disk full or the pipe closed?\n");
        return OVH_EXIT_BAD;
    }
    return status;
}
