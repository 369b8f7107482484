/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/report.h"

#include "analyzer/comparison.h"
#include "analyzer/input.h"
#include "analyzer/out/out.h"
#include "ovh/exit_codes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int report_worst(int a, int b)
{
    static const int order[] = {OVH_EXIT_BAD, OVH_EXIT_WORSE, OVH_EXIT_UNSURE, OVH_EXIT_DEGRADED};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return OVH_EXIT_FINE;
}

struct progress {
    const char *file;
    time_t start;
    bool shown;
};

/* Only what takes longer than a second shows itself. */
static void show_progress(void *arg, double share)
{
    struct progress *p = arg;
    if (time(NULL) - p->start < 2)
        return;
    fprintf(stderr, "\rovh-report: %s: %3.0f %%", p->file, 100 * share);
    p->shown = true;
}

/* The unit of work that was named when recording (OVH_UNIT), or NULL. */
static const char *recorded_unit(const struct trace *t)
{
    const char *unit = trace_setting(t, "OVH_UNIT");
    return *unit ? unit : NULL;
}

static struct model *build(const struct input *in, const struct options *o)
{
    struct progress progress = {.file = in->file, .start = time(NULL)};
    struct model_options options = {
        .unit = o->unit ? o->unit : recorded_unit(&in->trace),
        .warmup = o->warmup,
        .keep_units = o->units,
        .progress_arg = &progress,
    };
    if (isatty(STDERR_FILENO))
        options.progress = show_progress;
    struct model *m = model_build(&in->trace, &options);
    if (progress.shown)
        fputs("\r\033[K", stderr);
    if (!m)
        fprintf(stderr, "ovh-report: %s: not enough memory for this trace: record a shorter time, or read it on a larger machine\n",
                in->file);
    return m;
}

/* Opens what can be opened. Returns how many. */
static size_t open_all(const struct options *o, struct input *inputs, struct out_report *reports, int *status)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n_files; i++) {
        struct model *m = NULL;
        if (input_open(&inputs[n], o->files[i])) {
            m = build(&inputs[n], o);
            if (m)
                reports[n] = (struct out_report){.file = inputs[n].file, .model = m};
            else
                input_close(&inputs[n]);
        }
        if (m)
            n++;
        else
            *status = OVH_EXIT_BAD;
    }
    return n;
}

int report_files(const struct options *o)
{
    struct input *inputs = calloc(o->n_files, sizeof *inputs);
    struct out_report *reports = calloc(o->n_files, sizeof *reports);
    struct out_options form = {.colour = out_wants_colour(stdout),
                               .width = out_width(stdout),
                               .steps = o->steps,
                               .units = o->units,
                               .raw = o->uncorrected,
                               .findings = o->findings,
                               .published = o->published};
    int status = OVH_EXIT_FINE;
    size_t n = inputs && reports ? open_all(o, inputs, reports, &status) : 0;
    if (n) {
        struct comparison c = {.o = o, .reports = reports, .n = n};
        bool fine = comparison_wanted(&c) ? comparison_write(&c, &form) : out_find(o->form)->write(stdout, reports, n, &form);
        status = fine ? report_worst(c.status, report_worst(status, out_status(reports, n))) : OVH_EXIT_BAD;
    }
    for (size_t i = 0; i < n; i++) {
        model_free((struct model *)reports[i].model);
        input_close(&inputs[i]);
    }
    free(inputs);
    free(reports);
    return status;
}
