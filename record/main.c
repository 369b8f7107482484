/* SPDX-License-Identifier: Apache-2.0
 *
 * ovh-record: runs a command under libovh.so, as LD_PRELOAD would, with options.
 */
#define _GNU_SOURCE
#include "record/child.h"
#include "record/costs.h"
#include "record/library.h"
#include "record/options.h"
#include "record/settings.h"
#include "record/simulate.h"
#include "record/traces.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    struct record_options options;
    record_options_parse(argc, argv, &options);
    struct record_place place = record_place_of(options.out);
    char *library = record_library_find();
    for (size_t i = 0; i < options.setting_count; i++)
        record_setting_apply(options.settings[i]);
    setenv("OVH_OUT", place.path, 1);
    if (options.costs)
        record_costs(options.costs);
    if (options.simulate)
        record_simulate(options.command);
    record_preload_first(library);
    int status = record_child_run(options.command);
    if (!options.quiet)
        record_traces_say(&place);
    return status;
}
