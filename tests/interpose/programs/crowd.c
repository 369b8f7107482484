/* SPDX-License-Identifier: Apache-2.0
 * A busy host, the same in every run: threads that allocate, look names up, load and unload a module, and launch, all at once.
 * argv: the module. Says how many look-ups and calls went as they should; the fakes say on stdout what was really called. */
#define _GNU_SOURCE
#include "../fakes/say.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, ROUNDS = 40, BLOCKS = 16 };

int cudaGetDevice(int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);

static const char stub[8], *module;
static int right; /* added to by all threads */

static void count(int as_it_should)
{
    __atomic_fetch_add(&right, as_it_should != 0, __ATOMIC_RELAXED);
}

static void allocates(int round)
{
    char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        memset(blocks[i] = malloc((size_t)(1 + i * 300 + round)), i, (size_t)(1 + i * 300 + round));
    for (int i = 0; i < BLOCKS; i++) {
        count(blocks[i][i * 300 + round] == i);
        free(blocks[i]);
    }
}

static void looks_up(void)
{
    dlerror();
    count(!dlsym(RTLD_DEFAULT, "cuNoSuchFunction"));
    count(dlerror() != 0);
    count(dlsym(RTLD_DEFAULT, "cudaGetDevice") != 0);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    count(driver && dlsym(driver, "cuLaunchKernel") != 0);
    dlclose(driver);
}

static void calls(void)
{
    static const dim3 one = {1, 1, 1};
    int device = 0;
    count(cudaGetDevice(&device) == 0 && device == 3);
    count(cudaLaunchKernel(stub, one, one, 0, 0, 0) == 0);
    void *loaded = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    int (*plugin)(void) = loaded ? (int (*)(void))dlsym(loaded, "plugin") : 0;
    count(plugin && plugin() == 0);
    if (loaded)
        dlclose(loaded);
}

static void *works(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        allocates(round);
        looks_up();
        calls();
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    module = argv[1];
    calls(); /* the fake runtime finds its driver */
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, works, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    dprintf(1, "right %d of %d\n", right, 3 + THREADS * ROUNDS * (BLOCKS + 4 + 3));
    if (argc > 2) /* and then it crashes */
        *(volatile int *)(argc - 3L) = 1;
    return 0;
}
