/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/costs.h"

#include "ovh/exit_codes.h"
#include "ovh/trace.h"
#include "record/fail.h"
#include "record/library.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A round figure, not measured: docs/simulated-device.md. */
#define TOUCH "4K"
/* Of the 256 that the device holds; the rest is left to OVH_SIM_COSTS. */
#define MOST 200

static bool is_trace(FILE *f)
{
    char magic[sizeof OVH_TRACE_MAGIC - 1];
    bool yes = fread(magic, 1, sizeof magic, f) == sizeof magic && !memcmp(magic, OVH_TRACE_MAGIC, sizeof magic);
    rewind(f);
    return yes;
}

/* ovh-report of the folder that ovh-record lies in, else of PATH. Never returns. */
static void become_report(const char *file, int to)
{
    char *folder = record_own_folder();
    char *beside = folder ? record_text("%s/ovh-report", folder) : record_text("ovh-report");
    unsetenv("LD_PRELOAD");
    if (to == 1 ? 0 : dup2(to, 1) < 0)
        _exit(127);
    execl(beside, "ovh-report", "--costs", "--", file, (char *)0);
    execlp("ovh-report", "ovh-report", "--costs", "--", file, (char *)0);
    _exit(127);
}

/* The costs in a trace, as text; *child is to be waited for. */
static FILE *ask_report(const char *file, pid_t *child)
{
    int ends[2];
    if (pipe(ends) || (*child = fork()) < 0)
        record_fail(OVH_EXIT_BAD, "--costs %s: ovh-report cannot be started: %s", file, strerror(errno));
    if (!*child) {
        close(ends[0]);
        become_report(file, ends[1]);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    if (!answer)
        record_fail(OVH_EXIT_BAD, "--costs %s: %s", file, strerror(errno));
    return answer;
}

/* "NAME NS [CALLS]": the name ends where `line` gets its 0; the rest is figures. False: it is no such line. */
static bool parse(char *line, double *ns)
{
    char *end = line + strcspn(line, " \t");
    if (end == line || !*end || strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != (size_t)(end - line))
        return false;
    *end++ = 0;
    char *after;
    *ns = strtod(end, &after);
    bool fine = after != end && isfinite(*ns) && *ns >= 0 && *ns < 1e12 && (!*after || isspace((unsigned char)*after));
    after += strspn(after, " \t");
    after += strspn(after, "0123456789");
    return fine && !after[strspn(after, " \t\r")];
}

/* "NAME=NS,..." of the lines of `from`; *n of them. */
static char *read_lines(FILE *from, const char *file, unsigned *n)
{
    char *list = record_text("%s", ""), *line = 0;
    size_t room = 0, number = 0;
    for (ssize_t length; (length = getline(&line, &room, from)) >= 0;) {
        double ns;
        number++;
        line[strcspn(line, "\n")] = 0;
        char *first = line + strspn(line, " \t\r");
        if (!*first || *first == '#')
            continue;
        if (!parse(first, &ns))
            record_fail(OVH_EXIT_BAD, "--costs %s: line %zu is not \"FUNCTION NANOSECONDS CALLS\"; give a trace, or what ovh-report --costs wrote",
                        file, number);
        if (++*n > MOST)
            record_fail(OVH_EXIT_BAD, "--costs %s: more than %d functions; leave out those that cost least", file, MOST);
        char *longer = record_text("%s%s=%.0f,", list, first, ns);
        free(list);
        list = longer;
    }
    free(line);
    return list;
}

void record_costs(const char *file)
{
    pid_t child = 0;
    int status = 0;
    unsigned n = 0;
    FILE *f = fopen(file, "re");
    if (!f)
        record_fail(OVH_EXIT_BAD, "--costs %s: %s", file, strerror(errno));
    if (is_trace(f)) {
        fclose(f);
        f = ask_report(file, &child);
    }
    char *list = read_lines(f, file, &n);
    bool broken = ferror(f);
    fclose(f);
    if (child && (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != OVH_EXIT_DEGRADED)))
        record_fail(OVH_EXIT_BAD, "--costs %s: `ovh-report --costs` could not read costs from it", file);
    if (broken || !n)
        record_fail(OVH_EXIT_BAD, "--costs %s: %s", file, broken ? "cannot be read" : "names no function's cost");
    const char *by_hand = getenv("OVH_SIM_COSTS");
    char *all = record_text("%s%s", list, by_hand ? by_hand : "");
    setenv("OVH_SIM_COSTS", all, 1);
    setenv("OVH_SIM_TOUCH", TOUCH, 0);
    free(all);
    free(list);
}
