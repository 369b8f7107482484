/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through ovh-report --dump, both forms: text comes out, and a status that the tool documents.
 */
#include "analyzer/out/dump.h"
#include "ovh/exit_codes.h"
#include "tests/fuzz/repair.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void dump(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere;
    struct trace t;
    struct trace_error e;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    assert(nowhere);
    for (int form = 0; form < 3; form++) {
        const struct out_dump_options options = {.raw = form == 1, .no_definitions = form == 2};
        if (!trace_open(&t, bytes, size, &e))
            return;
        int status = out_dump(nowhere, &t, &options);
        assert(status == OVH_EXIT_FINE || status == OVH_EXIT_DEGRADED);
        trace_close(&t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    repair_and_read(bytes, size, dump);
    return 0;
}
