/* SPDX-License-Identifier: Apache-2.0
 *
 * --costs: what each hooked call of the unit of work costs the host, as lines that ovh-record --sim --costs reads. Self times, as the
 * simulated libraries nest as the real ones do and each charges its own; without the probes' cost where that is known.
 */
#include "analyzer/out/out.h"

#include <string.h>

/* Classes that the simulated device has functions of. Waiting is left out: the device waits by itself. */
static bool is_library(uint32_t class_)
{
    return class_ == OVH_CLASS_CUBLAS || class_ == OVH_CLASS_CUBLASLT || class_ == OVH_CLASS_CUDART || class_ == OVH_CLASS_DRIVER;
}

/* The simulated twins (per-thread default stream) call the function itself, which is the one that charges. */
static int base_length(const char *name)
{
    size_t n = strlen(name);
    return (int)(n > 5 && (!strcmp(name + n - 5, "_ptsz") || !strcmp(name + n - 5, "_ptds")) ? n - 5 : n);
}

static void one_trace(FILE *to, const struct out_report *r, const struct out_options *options)
{
    const struct model *m = r->model;
    bool corrected = correct_known(m) && !options->raw;
    fprintf(to, "# FUNCTION NANOSECONDS CALLS: mean self time of a call in the unit's %llu counted units, warm-up and pauses apart, %s\n",
            (unsigned long long)m->unit.steady.counted, corrected ? "without the probes' cost" : "with the probes' cost in it");
    if (m->blocked.found)
        fputs("# launches waited for room in the queue: their times contain the GPU's\n", to);
    for (size_t i = 0; i < m->unit.n_steps; i++) {
        const struct model_step *s = &m->unit.steps[i];
        uint64_t ticks = corrected ? s->corrected : s->self;
        if (is_library(s->class_) && s->calls)
            fprintf(to, "%.*s %.0f %llu\n", base_length(s->name), s->name, (double)ticks * m->ns / (double)s->calls, (unsigned long long)s->calls);
    }
}

static bool write_costs(FILE *to, const struct out_report *reports, size_t n, const struct out_options *options)
{
    for (size_t i = 0; i < n; i++)
        one_trace(to, &reports[i], options);
    return !ferror(to);
}

const struct out_ops out_costs = {"costs", "what each library call costs, for ovh-record --sim --costs", write_costs};
