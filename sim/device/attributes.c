/* SPDX-License-Identifier: Apache-2.0
 *
 * What the simulated device is: the limits of compute capability 9.0 as CUDA's programming guide lists them, with round clocks.
 */
#include "sim/device/device.h"

const unsigned char sim_uuid[16] = "ovh-simulated-0"; /* with its zero, sixteen bytes */

struct attribute {
    int number, value;
};

/* Numbers of CUdevice_attribute. What is not listed is 0: "no". */
static const struct attribute attributes[] = {
    {1, 1024},        /* threads per block */
    {2, 1024},        /* block x y z */
    {3, 1024},
    {4, 64},
    {5, 2147483647},  /* grid x y z */
    {6, 65535},
    {7, 65535},
    {8, 49152},       /* shared memory per block */
    {9, 65536},       /* constant memory */
    {10, 32},         /* warp */
    {11, 2147483647}, /* pitch */
    {12, 65536},      /* registers per block */
    {13, 1500000},    /* clock, kHz */
    {14, 512},        /* texture alignment */
    {15, 1},          /* copies and kernels overlap */
    {16, 132},        /* multiprocessors */
    {19, 1},          /* maps host memory */
    {31, 1},          /* concurrent kernels */
    {32, 1},          /* ECC */
    {36, 2500000},    /* memory clock, kHz */
    {37, 5120},       /* bus width, bits */
    {38, 50 << 20},   /* L2 */
    {39, 2048},       /* threads per multiprocessor */
    {40, 3},          /* copy engines */
    {41, 1},          /* unified addresses */
    {51, 32},         /* pitch alignment */
    {75, 9},          /* compute capability */
    {76, 0},
    {78, 1},          /* stream priorities */
    {79, 1},          /* L1 */
    {80, 1},
    {81, 233472},     /* shared memory per multiprocessor */
    {82, 65536},      /* registers per multiprocessor */
    {83, 1},          /* managed memory */
    {86, 0},
    {87, 2},          /* single to double */
    {89, 1},          /* concurrent managed access */
    {90, 1},          /* preemption */
    {95, 1},          /* cooperative launch */
    {97, 232448},     /* shared memory per block, opt-in */
    {99, 1},          /* host register */
    {106, 32},        /* blocks per multiprocessor */
    {108, 32 << 20},  /* persisting L2 */
    {109, 128 << 20}, /* access policy window */
    {111, 1024},      /* reserved shared memory per block */
    {115, 1},         /* memory pools */
    {120, 1},         /* clusters */
    {126, 4},         /* memory synchronisation domains */
};

int sim_attribute(int attribute)
{
    for (unsigned i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (attributes[i].number == attribute)
            return attributes[i].value;
    return 0;
}
