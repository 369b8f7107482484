/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/simulate.h"

#include "ovh/exit_codes.h"
#include "record/fail.h"
#include "record/library.h"
#include "sim/standin/cache.h"
#include "sim/standin/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Packages whose libraries import NVIDIA's. find_spec of a top-level name imports nothing. */
#define PACKAGES "torch", "torchvision", "torchaudio", "transformer_engine", "transformer_engine_torch", "flash_attn", "flash_attn_2_cuda", "apex", "amp_C"
static const char find_packages[] =
    "import sys\n"
    "if sys.path[:1] == ['']: del sys.path[0]\n" /* -c puts the working directory there: its modules are not the program's */
    "import importlib.util, os\n"
    "for name in sys.argv[1:]:\n"
    "    try:\n"
    "        spec = importlib.util.find_spec(name)\n"
    "    except Exception:\n"
    "        spec = None\n"
    "    for path in (spec and (list(spec.submodule_search_locations or []) or [spec.origin])) or []:\n"
    "        if path and os.path.exists(path):\n"
    "            print(os.path.realpath(path))\n";

/* The plan being made: nftw hands no argument through. */
static struct standin_plan plan;

/* ---- where the simulated libraries lie: beside a build tree's ovh-record, in LIBDIR, in ../lib */

static char *folder_with_device(char *folder)
{
    char *device = record_text("%s/libovhsim.so.1", folder), *found = access(device, R_OK) ? 0 : realpath(folder, 0);
    free(device);
    free(folder);
    return found;
}

static char *simulated_folder(void)
{
    const char *asked = getenv("OVH_SIM_DIR");
    char *own = record_own_folder(), *found = 0;
    if (asked && *asked) {
        found = folder_with_device(record_text("%s", asked));
        if (!found)
            record_fail(OVH_EXIT_BAD, "OVH_SIM_DIR=%s: libovhsim.so.1 is not there; build it with `make sim`", asked);
    }
    if (!found && own)
        found = folder_with_device(record_text("%s/build/" OVH_ARCH_NAME "/sim", own));
    if (!found && own)
        found = folder_with_device(record_text("%s/sim", own));
    if (!found)
        found = folder_with_device(record_text("%s/ovh/sim", OVH_LIBDIR));
    if (!found && own)
        found = folder_with_device(record_text("%s/../lib/ovh/sim", own));
    if (!found)
        record_fail(OVH_EXIT_BAD, "--sim: the simulated libraries are not in %s/ovh/sim; build them with `make sim`, or install ovh", OVH_LIBDIR);
    free(own);
    return found;
}

/* ---- which Python the command runs */

/* The program's file, searched as execvp would. NULL: none. The caller frees it. */
static char *program_file(const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) ? 0 : record_text("%s", name);
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; *p; p += strspn(p, ":")) {
        size_t length = strcspn(p, ":");
        char *file = record_text("%.*s/%s", (int)length, p, name);
        if (access(file, X_OK) == 0)
            return file;
        free(file);
        p += length;
    }
    return 0;
}

/* Every program that the command's words name: `taskset -c 0 python x.py`, `bash -c "exec ./program"`. Another word may read as one
 * (`test`): no harm. The caller frees all of it; NULL ends it. */
static char **programs_of(char *const *command)
{
    static const char between[] = " \t\n;&|()'\"";
    char **list = calloc(1, sizeof *list);
    size_t n = 0;
    for (; list && *command; command++) {
        char *words = record_text("%s", *command), *save;
        for (char *word = strtok_r(words, between, &save); list && word; word = strtok_r(0, between, &save)) {
            struct stat info;
            char *file = program_file(word);
            if (!file || stat(file, &info) || !S_ISREG(info.st_mode)) {
                free(file);
                continue;
            }
            if ((list = reallocarray(list, n + 2, sizeof *list)))
                list[n++] = file, list[n] = 0;
        }
        free(words);
    }
    if (!list)
        record_fail(OVH_EXIT_BAD, "out of memory");
    return list;
}

static int is_python(const char *file)
{
    const char *slash = strrchr(file, '/');
    return !strncmp(slash ? slash + 1 : file, "python", 6);
}

/* The interpreter of a script's first line, "#!/usr/bin/env python3" and "#!/path/python" alike, where it is a Python. */
static char *script_python(const char *file)
{
    char line[PATH_MAX] = "";
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[n > 0 ? strcspn(line, "\n") : 0] = '\0';
    if (strncmp(line, "#!", 2))
        return 0;
    for (char *save, *word = strtok_r(line + 2, " \t", &save); word; word = strtok_r(0, " \t", &save))
        if (is_python(word))
            return program_file(word);
    return 0;
}

/* The first Python among the programs that the command names, itself or as the interpreter of a script (torchrun). For a command that has
 * none (a shell script), the python3 of PATH, and `certain` is 0. OVH_SIM_PYTHON says it where neither is right. NULL: no Python. */
static char *command_python(char *const *programs, int *certain)
{
    const char *asked = getenv("OVH_SIM_PYTHON");
    char *python = 0;
    *certain = 1;
    if (asked && *asked && !(python = program_file(asked)))
        record_fail(OVH_EXIT_BAD, "OVH_SIM_PYTHON=%s: no such program", asked);
    for (; *programs && !python; programs++)
        python = is_python(*programs) ? record_text("%s", *programs) : script_python(*programs);
    *certain = python != 0;
    return python ? python : program_file("python3");
}

/* ---- importers */

static void add(const char *path)
{
    switch (standin_plan_add(&plan, path)) {
    case -2:
        record_fail(OVH_EXIT_BAD, "out of memory");
    case -3:
        record_say("%s: damaged ELF file: left out of the simulation", path);
        break;
    default:
        break;
    }
}

/* "x.so", "x.so.1": not "x.so.py". */
static int is_library(const char *name)
{
    const char *so = strstr(name, ".so");
    return so && (so[3] == '\0' || (so[3] == '.' && so[4] >= '0' && so[4] <= '9'));
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *where)
{
    const char *name = path + where->base;
    if (type == FTW_D && (!strcmp(name, "include") || !strcmp(name, "__pycache__")))
        return FTW_SKIP_SUBTREE;
    if (type == FTW_F && is_library(name))
        add(path);
    return FTW_CONTINUE;
}

static void add_package(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return;
    if (S_ISDIR(info.st_mode))
        nftw(path, visit, 16, FTW_PHYS | FTW_ACTIONRETVAL);
    else if (is_library(path))
        add(path);
}

/* Asks `python` where its packages lie; each line of its answer is a folder or a library. */
static void add_python_packages(const char *python, int certain)
{
    static const char *const names[] = {PACKAGES};
    const char *extra = getenv("OVH_SIM_PACKAGES");
    char *more = record_text("%s", extra ? extra : "");
    char *arguments[64] = {(char *)(uintptr_t)python, (char *)(uintptr_t)"-c", (char *)(uintptr_t)find_packages};
    size_t n = 3;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        arguments[n++] = (char *)(uintptr_t)names[i];
    for (char *save, *name = strtok_r(more, ", :", &save); name && n < 63; name = strtok_r(0, ", :", &save))
        arguments[n++] = name;
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        record_fail(OVH_EXIT_BAD, "pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        if (ends[1] == 1) /* our standard output is closed: dup2 would leave the end as it is, to be closed by exec */
            fcntl(1, F_SETFD, 0);
        else
            dup2(ends[1], 1);
        execv(python, arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    char *line = 0;
    size_t room = 0;
    for (ssize_t length; answer && (length = getline(&line, &room, answer)) > 0;) {
        line[length - 1] = '\0';
        add_package(line);
    }
    free(line);
    free(more);
    if (answer)
        fclose(answer);
    if ((child < 0 || waitpid(child, &status, 0) < 0 || status) && certain)
        record_fail(OVH_EXIT_BAD, "%s: could not be asked where its packages lie; does `%s -c pass` run?", python, python);
}

/* OVH_SIM_RETURNS: NAME=VALUE,... */
static void set_returns(void)
{
    const char *asked = getenv("OVH_SIM_RETURNS");
    char *list = record_text("%s", asked ? asked : ""), *save;
    for (char *one = strtok_r(list, ",", &save); one; one = strtok_r(0, ",", &save)) {
        char *equals = strchr(one, '='), *end = 0;
        unsigned long long value = equals && equals[1] >= '0' && equals[1] <= '9' ? strtoull(equals + 1, &end, 0) : 0;
        if (!end || *end || value > UINT32_MAX) {
            record_say("OVH_SIM_RETURNS: %s: FUNCTION=NUMBER is wanted, the number below 2^32; ignored", one);
            continue;
        }
        *equals = '\0';
        if (!standin_plan_returns(&plan, one, (uint32_t)value))
            record_say("OVH_SIM_RETURNS: %s: no empty stand-in of this program has it; ignored", one);
    }
    free(list);
}

/* ---- the environment */

static void in_front(const char *variable, const char *first)
{
    const char *before = getenv(variable);
    char *list = before && *before ? record_text("%s:%s", first, before) : record_text("%s", first);
    setenv(variable, list, 1);
    free(list);
}

/* The last one named ends up first: the device and the driver that everything rests on. */
static void preload(const char *folder, const char *soname)
{
    char *path = record_text("%s/%s", folder, soname);
    if (strpbrk(path, " :"))
        record_fail(OVH_EXIT_BAD, "%s: LD_PRELOAD cannot name a path with a space or a colon in it; move it to another folder", path);
    in_front("LD_PRELOAD", path);
    free(path);
}

void record_simulate(char *const *command)
{
    char error[512], *folder = simulated_folder(), *made = 0, **programs = programs_of(command);
    standin_plan_begin(&plan, folder);
    if (programs[0]) { /* where there is no such command, running it says so */
        int certain;
        char *python = command_python(programs, &certain);
        for (char **p = programs; *p; p++)
            add(*p);
        if (python)
            add_python_packages(python, certain);
        free(python);
    }
    if (standin_plan_end(&plan))
        record_fail(OVH_EXIT_BAD, "out of memory");
    set_returns();
    for (size_t i = plan.count; i-- > 0;) {
        const struct standin_library *library = &plan.libraries[i];
        if (!strcmp(library->soname, "libcuda.so.1"))
            continue; /* below */
        if (!library->simulated && !made && !(made = standin_cache(&plan, error, sizeof error)))
            record_fail(OVH_EXIT_BAD, "--sim: %s", error);
        preload(library->simulated ? folder : made, library->soname);
    }
    preload(folder, "libcuda.so.1");
    preload(folder, "libovhsim.so.1");
    if (made)
        in_front("LD_LIBRARY_PATH", made);
    in_front("LD_LIBRARY_PATH", folder);
    standin_plan_release(&plan);
    for (char **p = programs; *p; p++)
        free(*p);
    free(programs);
    free(made);
    free(folder);
}
