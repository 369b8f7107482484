/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/comparison.h"

#include "analyzer/out/compare.h"
#include "ovh/exit_codes.h"

#include <stdlib.h>
#include <string.h>

bool comparison_wanted(const struct comparison *c)
{
    const struct options *o = c->o;
    bool form = !strcmp(o->form, "text") || !strcmp(o->form, "json");
    return o->gates.n || (o->n_sides > 1 && !o->each && form);
}

/* The models, grouped into sides. NULL: no memory. */
static const struct model **group(const struct comparison *c, struct compare_side *sides)
{
    const struct model **models = malloc(c->n * sizeof(*models));
    for (size_t i = 0; models && i < c->n; i++) {
        struct compare_side *s = &sides[c->o->sides[i]];
        models[i] = c->reports[i].model;
        s->models = s->n++ ? s->models : &models[i];
    }
    return models;
}

/* Why the traces cannot be compared; NULL: they can. */
static const char *obstacle(const struct comparison *c, const char **file)
{
    size_t runs = 0;
    *file = "";
    if (c->n < c->o->n_files) /* which, and why, was said when it was opened */
        return "";
    for (size_t i = 0; i < c->n; i++) {
        *file = c->reports[i].file;
        runs = i && c->o->sides[i] == c->o->sides[i - 1] ? runs + 1 : 1;
        if (runs > COMPARE_RUNS)
            return "too many runs of one side: 64 at most";
        if (c->reports[i].model->unit.kind == MODEL_UNIT_NONE || !c->reports[i].model->unit.steady.counted)
            return "no unit of work was found in it";
    }
    return NULL;
}

/* What there is without a comparison. */
static bool write_each(struct comparison *c, const struct out_options *form, const char *file, const char *why)
{
    if (*why)
        fprintf(stderr, "ovh-report: %s: nothing is compared: %s\n", file, why);
    c->status = c->o->gates.n ? OVH_EXIT_BAD : OVH_EXIT_FINE;
    return out_find(c->o->form)->write(stdout, c->reports, c->n, form);
}

static void judge(struct comparison *c, const struct compare *compare, const struct compare_side *sides,
                  struct gate_answer *answers)
{
    static const int statuses[] = {OVH_EXIT_FINE, OVH_EXIT_WORSE, OVH_EXIT_UNSURE};
    size_t n = c->o->n_sides, rows = c->o->gates.n * (n > 1 ? n - 1 : 1);
    char why[700];
    c->status = OVH_EXIT_FINE;
    if (!gates_judge(&c->o->gates, compare, sides, n, answers, why, sizeof why)) {
        fprintf(stderr, "ovh-report: --gate: %s\n", why);
        c->status = OVH_EXIT_BAD;
        return;
    }
    for (size_t i = 0; i < rows; i++)
        c->status = c->status == OVH_EXIT_WORSE || answers[i].status == GATE_FINE ? c->status : statuses[answers[i].status];
}

/* A comparison in the form that was asked for. One side only: its report, and the gates behind it. */
static bool print(const struct comparison *c, const struct out_comparison *out, const struct out_options *form)
{
    if (!strcmp(c->o->form, "json"))
        return out_compare_json(stdout, out, form);
    bool fine = out->compare || out_find(c->o->form)->write(stdout, c->reports, c->n, form);
    return out_compare_text(stdout, out, form) && fine;
}

bool comparison_write(struct comparison *c, const struct out_options *form)
{
    const char *file, *why = obstacle(c, &file);
    if (why)
        return write_each(c, form, file, why);
    size_t n = c->o->n_sides, rows = c->o->gates.n * (n > 1 ? n - 1 : 1);
    struct compare_side *sides = calloc(n, sizeof *sides);
    const struct model **models = sides ? group(c, sides) : NULL;
    struct gate_answer *answers = calloc(rows + 1, sizeof *answers);
    struct compare *compare = models && n > 1 ? compare_make(sides, n) : NULL;
    bool fine = models && answers && (compare || n == 1);
    if (fine) {
        judge(c, compare, sides, answers);
        struct out_comparison out = {c->reports, c->n, sides, n, compare, answers, c->status == OVH_EXIT_BAD ? 0 : rows};
        fine = print(c, &out, form);
    }
    compare_free(compare);
    free(models);
    free(answers);
    free(sides);
    return fine;
}
