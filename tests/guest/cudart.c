/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/guest/cudart.h"

int cudaGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int cudaDeviceSynchronize(void)
{
    return 0;
}

int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    (void)stream;
    function(data);
    return 0;
}
