/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of another architecture as one of this machine: execs the emulator with it. Static, so that LD_PRELOAD, which is meant for
 * that program, does not touch this one. Defined where it is compiled: QEMU, ROOT (where its loader is), PROGRAM; LIBRARIES: where it
 * finds more libraries, may be left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char **all = calloc((size_t)argc + 10, sizeof *all);
    int n = 0;
    if (!all)
        return 126;
    all[n++] = QEMU;
    all[n++] = "-L";
    all[n++] = ROOT;
    all[n++] = "-0"; /* the program takes itself for this file, and starts it again where it starts itself */
    all[n++] = argv[0];
#ifdef LIBRARIES
    all[n++] = "-E";
    all[n++] = "LD_LIBRARY_PATH=" LIBRARIES;
#endif
    all[n++] = PROGRAM;
    for (int i = 1; i < argc; i++)
        all[n++] = argv[i];
    execv(QEMU, all);
    perror(QEMU);
    return 127;
}
