/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through the whole of ovh-report: model, then every form. The last byte says whether a unit of work is named, and how many
 * units are left out.
 */
#include "analyzer/model/model.h"
#include "analyzer/out/out.h"
#include "ovh/exit_codes.h"
#include "tests/fuzz/repair.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void report(const uint8_t *bytes, size_t size)
{
    static const struct out_ops *const forms[] = {&out_text, &out_json, &out_tree, &out_timeline};
    static const char *const units[] = {NULL, NULL, "step", "Linear.forward", "cudaLaunchKernel", "", "Adam.step", NULL};
    static FILE *nowhere;
    struct trace t;
    struct trace_error e;
    unsigned choice = size ? bytes[size - 1] : 0;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    assert(nowhere);
    if (!trace_open(&t, bytes, size, &e))
        return;
    const struct model_options options = {
        .unit = units[choice % 8], .warmup = choice & 16 ? (choice >> 5) : STEADY_FIND, .keep_units = choice & 8};
    const struct out_options form = {.width = 120, .steps = choice & 32 ? 0 : 10, .units = choice & 8, .colour = choice & 64};
    struct model *m = model_build(&t, &options);
    if (m) {
        const struct out_report one = {.file = "x.bin", .model = m};
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            forms[i]->write(nowhere, &one, 1, &form);
        int status = out_status(&one, 1);
        assert(status == OVH_EXIT_FINE || status == OVH_EXIT_DEGRADED);
    }
    model_free(m);
    trace_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    repair_and_read(bytes, size, report);
    return 0;
}
