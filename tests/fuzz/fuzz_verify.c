/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through ovh-report --verify; what cannot be opened has its one sentence.
 */
#include "analyzer/out/verify.h"
#include "ovh/exit_codes.h"
#include "tests/fuzz/repair.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void verify(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere;
    struct trace t;
    struct trace_error e;
    char text[256];
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    assert(nowhere);
    if (!trace_open(&t, bytes, size, &e)) {
        assert(strlen(trace_error_text(&e, text, sizeof text)) > 0);
        return;
    }
    int status = out_verify(nowhere, "x.bin", &t);
    assert(status == OVH_EXIT_FINE || status == OVH_EXIT_DEGRADED);
    trace_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    repair_and_read(bytes, size, verify);
    return 0;
}
