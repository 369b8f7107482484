/* SPDX-License-Identifier: Apache-2.0
 * A runtime with a quick query and a slow setter. */
#include <time.h>

#ifndef VERSION
#define VERSION 0
#endif

int cudaGetDevice(int *device)
{
    *device = VERSION;
    return 0;
}

int cudaSetDevice(int device)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, 0);
    return device;
}
