/* SPDX-License-Identifier: Apache-2.0
 *
 * Cost of one hooked call: a loop over cudaGetDevice of a fake libcudart (a store and a return), linked, so that the exported wrapper and
 * the look-up of the caller are in it, and through a pointer from dlsym. Prints ns per call as JSON: the median and the least of the
 * rounds. What observes is decided by LD_PRELOAD: bench_call.py runs it bare, under the twin, under libovh.so, and disarmed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int cudaGetDevice(int *device);

enum { ROUNDS = 41, CALLS = 20000 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(const char *name, int (*call)(int *), const char *end)
{
    double round[ROUNDS];
    int device;
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++) {
            call(&device);
            __asm__ volatile("" ::: "memory");
        }
        round[r] = (now_ns() - start) / CALLS;
    }
    qsort(round, ROUNDS, sizeof *round, by_size);
    printf("\"%s\": {\"median_ns\": %.2f, \"least_ns\": %.2f}%s", name, round[ROUNDS / 2], round[0], end);
}

int main(void)
{
    void *library = dlopen("libcudart.so.13", RTLD_NOW);
    int (*from_dlsym)(int *) = library ? (int (*)(int *))dlsym(library, "cudaGetDevice") : NULL;
    if (!from_dlsym)
        return 1;
    printf("{");
    measure("linked", cudaGetDevice, ", ");
    measure("dlsym", from_dlsym, "}\n");
    return 0;
}
