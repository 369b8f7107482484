/* SPDX-License-Identifier: Apache-2.0
 * A runtime with a quick query and a slow setter. */
#include <time.h>

int cudaGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int cudaSetDevice(int device)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, 0);
    return device;
}
