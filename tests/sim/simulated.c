/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a command on the simulated device without libovh.so: what `ovh-record --sim` prepares, and nothing else.
 */
#include "record/simulate.h"
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    record_simulate(argv + 1);
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
