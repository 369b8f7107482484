/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/options.h"

#include "ovh/exit_codes.h"

#include <argp.h>
#include <string.h>

const char *argp_program_version = "ovh-report " OVH_VERSION;

enum key { KEY_DUMP = 256, KEY_VERIFY, KEY_NO_DEFINITIONS };

static const struct argp_option rows[] = {
    {"dump", KEY_DUMP, "raw", OPTION_ARG_OPTIONAL, "Print the records as text; =raw: just as they stand in the file", 10},
    {"no-definitions", KEY_NO_DEFINITIONS, 0, 0, "With --dump: events only", 10},
    {"verify", KEY_VERIFY, 0, 0, "Check the file: say what is whole and what is lost or damaged", 10},
    {0},
};

static error_t take(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_DUMP:
        o->mode = MODE_DUMP;
        o->raw = arg && strcmp(arg, "raw") == 0;
        if (arg && !o->raw)
            argp_error(state, "--dump=%s: no such form; --dump or --dump=raw", arg);
        return 0;
    case KEY_NO_DEFINITIONS:
        o->no_definitions = true;
        return 0;
    case KEY_VERIFY:
        o->mode = MODE_VERIFY;
        return 0;
    case ARGP_KEY_ARGS:
        o->files = state->argv + state->next;
        o->n_files = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no trace file given; name one, such as trace.bin");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void options_parse(struct options *o, int argc, char **argv)
{
    static const struct argp argp = {
        .options = rows,
        .parser = take,
        .args_doc = "TRACE...",
        .doc = "Where the CPU time of a GPU program went, from the trace that libovh.so wrote."
               "\vExit status: 0 fine, 2 bad input or usage, 4 degraded (something lost, damaged or not resolved: the output says "
               "what).",
    };
    *o = (struct options){0};
    argp_err_exit_status = OVH_EXIT_BAD;
    argp_parse(&argp, argc, argv, 0, NULL, o);
}
