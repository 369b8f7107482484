/* SPDX-License-Identifier: Apache-2.0 */
#include "record/options.h"

#include "ovh/exit_codes.h"
#include "record/fail.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "ovh-record " OVH_VERSION;

static const char doc[] =
    "Run COMMAND under libovh.so, which records the CPU side of its GPU work in a trace file; ovh-report FILE shows it."
    "\v"
    "Options end at the first word that is none: the rest is the command, untouched. LD_PRELOAD=libovh.so COMMAND does the same "
    "without options.\n\n"
    "ovh-record ends with the command's status, 128+N where signal N ended it, 127 where there is no such command, 126 where it "
    "cannot be executed, and 2 where ovh-record itself has failed before the command ran.";

static const struct argp_option argp_options[] = {
    {"costs", 'c', "FILE", 0, "With --sim: library calls cost what they did on a real run; FILE is its trace, or what ovh-report --costs wrote", 0},
    {"delay", 'd', "SECONDS", 0, "Record from so long after the start of each process on, decimals allowed (sets OVH_DELAY)", 0},
    {"detail", 'l', "LEVELS", 0,
     "auto: levels of detail take turns (the default); or one of them, or a set, as 0,2: 0 launches and blocking calls, 1 every CUDA call, "
     "2 also Python frames, 3 also C functions called from Python (sets OVH_DETAIL)", 0},
    {"duration", 'D', "SECONDS", 0, "Record for so long, then stop; the command goes on (sets OVH_DURATION)", 0},
    {"output", 'o', "FILE", 0,
     "Write the trace to FILE (trace.bin), or into the folder FILE. "
     "A launcher's ranks put .rankN, further processes .PID before its suffix",
     0},
    {"quiet", 'q', 0, 0, "Nothing on stderr but errors (sets OVH_QUIET=1)", 0},
    {"set", 's', "NAME=VALUE", 0, "Set one of the OVH_ variables that libovh.so reads (libovh(7) lists them)", 0},
    {"sim", 'S', 0, 0, "Run COMMAND on the simulated device: no GPU is needed or used, kernels compute nothing, the host's work is real", 0},
    {"steps", 'n', "A:B", 0, "Record units of work number A to B, from 1, and nothing else; --unit says what one is (sets OVH_STEPS)", 0},
    {"unit", 'u', "NAME", 0,
     "What a unit of work is, for ovh-report and --steps: a function's qualified name or the end of one, as train_step, or nvtx:NAME, an NVTX "
     "range (sets OVH_UNIT)", 0},
    {0},
};

static void add_setting(struct record_options *options, const char *setting)
{
    const char **more = record_alloc((options->setting_count + 1) * sizeof *more);
    for (size_t i = 0; i < options->setting_count; i++)
        more[i] = options->settings[i];
    more[options->setting_count++] = setting;
    options->settings = more;
}

/* Digits with at most one point. */
static const char *seconds(const char *argument, const char *option)
{
    const char *rest = argument + strspn(argument, "0123456789"), *decimals = *rest == '.' ? rest + 1 : rest;
    size_t digits = (size_t)(rest - argument) + strspn(decimals, "0123456789");
    if (!digits || decimals[strspn(decimals, "0123456789")] || rest - argument > 9)
        record_fail(OVH_EXIT_BAD, "--%s %s: is no number of seconds; say one such as 30 or 1.5", option, argument);
    return argument;
}

/* "auto", or digits from 0 to 3 with commas between them. */
static const char *detail(const char *argument)
{
    bool fine = !strcmp(argument, "auto") || *argument;
    for (const char *c = argument; strcmp(argument, "auto") && *c && fine; c += c[1] ? 2 : 1)
        fine = *c >= '0' && *c <= '3' && (!c[1] || (c[1] == ',' && c[2]));
    if (!fine)
        record_fail(OVH_EXIT_BAD, "--detail %s: is no level of detail; say auto, one of 0, 1, 2, 3, or several as in 0,2", argument);
    return argument;
}

/* "A:B", "A:" or "A", from 1, as "A:B". */
static const char *steps(const char *argument)
{
    size_t first = strspn(argument, "0123456789"), last = argument[first] == ':' ? strspn(argument + first + 1, "0123456789") : 0;
    bool fine = first && first < 19 && last < 19 && (argument[first] == ':' ? !argument[first + 1 + last] : !argument[first]);
    unsigned long long a = fine ? strtoull(argument, 0, 10) : 0, b = last ? strtoull(argument + first + 1, 0, 10) : a;
    if (!a || b < a)
        record_fail(OVH_EXIT_BAD, "--steps %s: is no range of steps; say A:B, the first and the last, from 1, as in 100:109", argument);
    return argument[first] == ':' ? argument : record_text("%s:%s", argument, argument);
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* "OVH_NAME=": given by an option, or by --set with or without its OVH_. */
static bool has(const struct record_options *options, const char *setting)
{
    for (size_t i = 0; i < options->setting_count; i++)
        if (begins(options->settings[i], setting) || begins(options->settings[i], setting + strlen("OVH_")))
            return true;
    return false;
}

static void check_together(const struct record_options *options)
{
    if (options->costs && !options->simulate)
        record_fail(OVH_EXIT_BAD, "--costs: is of use with --sim only; a real device has its own");
    if (!has(options, "OVH_STEPS="))
        return;
    if (has(options, "OVH_DELAY="))
        record_fail(OVH_EXIT_BAD, "--delay and --steps: both say when recording begins; give one of them");
    if (!has(options, "OVH_UNIT=") && !(getenv("OVH_UNIT") && *getenv("OVH_UNIT")))
        record_fail(OVH_EXIT_BAD, "--steps: what is a step? Say --unit NAME, a Python function, or --unit nvtx:NAME, an NVTX range");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct record_options *options = state->input;
    switch (key) {
    case 'c':
        options->costs = argument;
        return 0;
    case 'd':
        add_setting(options, record_text("OVH_DELAY=%s", seconds(argument, "delay")));
        return 0;
    case 'D':
        add_setting(options, record_text("OVH_DURATION=%s", seconds(argument, "duration")));
        return 0;
    case 'l':
        add_setting(options, record_text("OVH_DETAIL=%s", detail(argument)));
        return 0;
    case 'o':
        options->out = argument;
        return 0;
    case 'q':
        options->quiet = true;
        add_setting(options, "OVH_QUIET=1");
        return 0;
    case 's':
        add_setting(options, argument);
        return 0;
    case 'n':
        add_setting(options, record_text("OVH_STEPS=%s", steps(argument)));
        return 0;
    case 'S':
        options->simulate = true;
        return 0;
    case 'u':
        add_setting(options, record_text("OVH_UNIT=%s", argument));
        return 0;
    case ARGP_KEY_ARG:
        options->command = &state->argv[state->next - 1];
        state->next = state->argc; /* the command's own options are not ours */
        return 0;
    case ARGP_KEY_NO_ARGS:
        record_fail(OVH_EXIT_BAD, "no command given: say what to run, as in `ovh-record -- python train.py`");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void record_options_parse(int argc, char **argv, struct record_options *options)
{
    static const struct argp argp = {argp_options, parse_option, "[--] COMMAND [ARGUMENT...]", doc, 0, 0, 0};
    argp_err_exit_status = OVH_EXIT_BAD;
    argv[0] = (char *)"ovh-record"; /* messages carry the tool's name, not the path it was called by */
    memset(options, 0, sizeof *options);
    options->out = "trace.bin";
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, 0, options);
    check_together(options);
}
