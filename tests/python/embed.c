/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that embeds CPython: embed LIBPYTHON SCRIPT TIMES: loads the library at run time, and lives that many lives of the
 * interpreter one after the other, each of which runs the script and ends.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *symbol(void *python, const char *name)
{
    void *found = dlsym(python, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found;
}

static int run(void *python, const char *script)
{
    union {
        void *address;
        void (*initialize)(int);
        int (*file)(FILE *, const char *, int);
        int (*finalize)(void);
    } initialize = {symbol(python, "Py_InitializeEx")}, file = {symbol(python, "PyRun_SimpleFileExFlags")},
      finalize = {symbol(python, "Py_FinalizeEx")};
    initialize.initialize(0);
    FILE *f = fopen(script, "r");
    int failed = !f || file.file(f, script, 1) != 0;
    return finalize.finalize() != 0 || failed;
}

int main(int argc, char **argv)
{
    void *python = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : 0;
    if (!python) {
        fprintf(stderr, "%s\n", argc == 4 ? dlerror() : "embed LIBPYTHON SCRIPT TIMES");
        return 2;
    }
    for (int life = atoi(argv[3]); life > 0; life--)
        if (run(python, argv[2]))
            return 1;
    puts("ended");
    return 0;
}
