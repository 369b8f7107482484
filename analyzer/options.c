/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/options.h"

#include "analyzer/model/findings/findings.h"
#include "ovh/exit_codes.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "ovh-report " OVH_VERSION;

enum key { KEY_DUMP = 256, KEY_VERIFY, KEY_NO_DEFINITIONS, KEY_FORMAT, KEY_TREE, KEY_BY, KEY_TIMELINE, KEY_UNIT, KEY_WARMUP, KEY_STEPS, KEY_UNITS, KEY_RAW,
           KEY_TABLE, KEY_FINDINGS, KEY_PUBLISHED, KEY_EACH, KEY_BASE, KEY_CHANGE, KEY_GATE, KEY_COSTS };

static const struct argp_option rows[] = {
    {"format", KEY_FORMAT, "FORM", 0, "text (the default), json; csv or markdown of --table", 1},
    {"tree", KEY_TREE, 0, 0, "Print the calling-context tree of one unit of work", 1},
    {"timeline", KEY_TIMELINE, 0, 0, "Print one median unit of work: every step with its start and duration", 1},
    {"by", KEY_BY, "WHAT", 0, "Divide the unit of work by module, an nn.Module instance by its path, or by module-type, its class", 1},
    {"table", KEY_TABLE, 0, 0, "One row per trace: backend, CPU us, event us, kernel us, TFLOP/s", 1},
    {"costs", KEY_COSTS, 0, 0, "Print what each library call costs, for ovh-record --sim --costs", 1},
    {"published", KEY_PUBLISHED, 0, 0, "With --table: the rows that were published in the issues of Transformer Engine and CuPy, too", 1},
    {"unit", KEY_UNIT, "NAME", 0, "What a unit of work is: a function's qualified name or the end of one, such as Linear.forward, or nvtx:NAME, an NVTX range; "
                                  "found by itself where this is not given", 2},
    {"warmup", KEY_WARMUP, "N", 0, "Leave out the first N units; found by itself where this is not given", 2},
    {"steps", KEY_STEPS, "N", 0, "Rows of the costliest steps: 20; 0 for all of them", 2},
    {"findings", KEY_FINDINGS, "PERCENT", 0, "Easy wins that cost less of the host's time than this are not shown: 1%", 2},
    {"raw", KEY_RAW, 0, 0, "Times as they were measured, with what the profiler cost in them", 2},
    {"units", KEY_UNITS, 0, 0, "With --format json: the duration of every unit", 2},
    {"base", KEY_BASE, 0, 0, "The traces behind this are runs of the first side of a comparison", 3},
    {"change", KEY_CHANGE, 0, 0, "The traces behind this are runs of a further side; may be given again for one more", 3},
    {"gate", KEY_GATE, "LIMITS", 0, "What the last side may cost: 5%, class:python=3%, step:NAME=3%, launches=1, python-calls<=90, several "
                                    "with commas between; exit status 1 worse, 3 not sure", 3},
    {"each", KEY_EACH, 0, 0, "Of several traces: one report after the other instead of a comparison", 3},
    {"dump", KEY_DUMP, "raw", OPTION_ARG_OPTIONAL, "Print the records as text; =raw: just as they stand in the file", 10},
    {"no-definitions", KEY_NO_DEFINITIONS, 0, 0, "With --dump: events only", 10},
    {"verify", KEY_VERIFY, 0, 0, "Check the file: say what is whole and what is lost or damaged", 10},
    {0},
};

static uint64_t number(const char *arg, const char *option, struct argp_state *state)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(arg, &end, 10);
    if (errno || *end || end == arg || *arg < '0' || *arg > '9' || n > INT64_MAX)
        argp_error(state, "--%s %s: not a number; give one from 0", option, arg);
    return n;
}

/* "1%", or "1": 0.01 */
static double share(const char *arg, struct argp_state *state)
{
    char *end;
    double percent = strtod(arg, &end);
    if (end == arg || (*end && strcmp(end, "%")) || !(percent >= 0 && percent <= 100))
        argp_error(state, "--findings %s: not a share; give one from 0%% to 100%%", arg);
    return percent / 100;
}

/* The report has one form: a second wish would silently undo the first. */
static void take_form(struct options *o, const char *form, struct argp_state *state)
{
    if (o->form && strcmp(o->form, form))
        argp_error(state, "%s and %s: a report has one form; ask for one after the other", o->form, form);
    o->form = form;
}

/* Behind --base or --change every trace is a run of that side; without them every trace is a side. */
static void take_file(struct options *o, char *file)
{
    if (o->n_files && !o->grouped)
        o->n_sides++;
    o->n_sides = o->n_sides ? o->n_sides : 1;
    o->files[o->n_files] = file;
    o->sides[o->n_files++] = o->n_sides - 1;
}

static void take_side(struct options *o, bool base, struct argp_state *state)
{
    if (o->n_files && !o->grouped)
        argp_error(state, "a trace stands before --base or --change: name all traces behind them");
    if (base && o->grouped)
        argp_error(state, "--base stands first, and once: what is compared with it follows behind --change");
    if (!base && !o->n_files)
        argp_error(state, "--change has nothing to be compared with: name traces behind --base first");
    if (!base && o->n_sides && o->sides[o->n_files - 1] != o->n_sides - 1)
        argp_error(state, "--change without a trace behind it");
    o->grouped = true;
    o->n_sides++;
}

static void take_gate(struct options *o, const char *arg, struct argp_state *state)
{
    char why[700];
    if (!gates_add(&o->gates, arg, why, sizeof why))
        argp_error(state, "--gate: %s", why);
}

static void take_mode(struct options *o, enum mode mode, struct argp_state *state)
{
    if (o->mode != MODE_REPORT && o->mode != mode)
        argp_error(state, "--dump and --verify: one at a time");
    o->mode = mode;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_DUMP:
        take_mode(o, MODE_DUMP, state);
        o->raw = arg && strcmp(arg, "raw") == 0;
        if (arg && !o->raw)
            argp_error(state, "--dump=%s: no such form; --dump or --dump=raw", arg);
        return 0;
    case KEY_NO_DEFINITIONS:
        o->no_definitions = true;
        return 0;
    case KEY_VERIFY:
        take_mode(o, MODE_VERIFY, state);
        return 0;
    case KEY_FORMAT:
        if (strcmp(arg, "text") && strcmp(arg, "json") && strcmp(arg, "csv") && strcmp(arg, "markdown"))
            argp_error(state, "--format %s: no such form; text, json, csv or markdown", arg);
        take_form(o, arg, state);
        return 0;
    case KEY_TREE:
        take_form(o, "tree", state);
        return 0;
    case KEY_TIMELINE:
        take_form(o, "timeline", state);
        return 0;
    case KEY_FINDINGS:
        o->findings = share(arg, state);
        return 0;
    case KEY_BY:
        if (strcmp(arg, "module") && strcmp(arg, "module-type"))
            argp_error(state, "--by %s: no such division; module or module-type", arg);
        take_form(o, arg, state);
        return 0;
    case KEY_TABLE:
        o->table = true;
        return 0;
    case KEY_COSTS:
        take_form(o, "costs", state);
        return 0;
    case KEY_PUBLISHED:
        o->published = true;
        return 0;
    case KEY_UNIT:
        o->unit = arg;
        return 0;
    case KEY_WARMUP:
        o->warmup = (int64_t)number(arg, "warmup", state);
        return 0;
    case KEY_STEPS:
        o->steps = (size_t)number(arg, "steps", state);
        return 0;
    case KEY_RAW:
        o->uncorrected = true;
        return 0;
    case KEY_UNITS:
        o->units = true;
        return 0;
    case KEY_BASE:
    case KEY_CHANGE:
        take_side(o, key == KEY_BASE, state);
        return 0;
    case KEY_GATE:
        take_gate(o, arg, state);
        return 0;
    case KEY_EACH:
        o->each = true;
        return 0;
    case ARGP_KEY_ARG:
        take_file(o, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no trace file given; name one, such as trace.bin");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void options_wrong(const char *why)
{
    fprintf(stderr, "ovh-report: %s\n", why);
    exit(OVH_EXIT_BAD);
}

/* What no single option could tell. */
static void check(struct options *o)
{
    if (o->n_sides > 1 + o->sides[o->n_files - 1])
        options_wrong("--change without a trace behind it");
    if (o->grouped && o->n_sides < 2)
        options_wrong("--base without --change: nothing is compared with it");
    if (o->n_sides < 2 && gates_need_base(&o->gates))
        options_wrong("--gate: a share, and a limit of base, need a second side to compare with: name a trace more");
    if (!o->form || (o->table && !strcmp(o->form, "text")))
        o->form = o->table ? "table" : "text";
    if (!strcmp(o->form, "costs") && o->n_files > 1)
        options_wrong("--costs is about one trace; name one");
    bool rows_form = !strcmp(o->form, "table") || !strcmp(o->form, "csv") || !strcmp(o->form, "markdown");
    if (o->table && !rows_form)
        options_wrong("--table comes as text, csv or markdown (--format)");
    if (o->published && !rows_form)
        options_wrong("--published belongs to --table");
    if (o->gates.n && strcmp(o->form, "text") && strcmp(o->form, "json"))
        options_wrong("--gate is answered in the forms text and json only");
}

void options_parse(struct options *o, int argc, char **argv)
{
    static const struct argp argp = {
        .options = rows,
        .parser = take,
        .args_doc = "TRACE...",
        .doc = "Where the CPU time of a GPU program went, from the trace that libovh.so wrote. Several traces are compared with "
               "the first.\vExit status: 0 fine, 1 a --gate was missed, 2 bad input or usage, 3 a --gate can't be decided, 4 degraded "
               "(something lost, damaged or not resolved: the output says what).",
    };
    *o = (struct options){.warmup = -1, .steps = 20, .findings = FINDING_LEAST};
    o->files = calloc((size_t)argc, sizeof *o->files);
    o->sides = calloc((size_t)argc, sizeof *o->sides);
    if (!o->files || !o->sides) {
        fputs("ovh-report: not enough memory\n", stderr);
        exit(OVH_EXIT_BAD);
    }
    argp_err_exit_status = OVH_EXIT_BAD;
    argv[0] = (char *)"ovh-report"; /* messages carry the tool's name, not the path it was called by */
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
    check(o);
}

void options_end(struct options *o)
{
    free(o->files);
    free(o->sides);
    gates_end(&o->gates);
}
