/* SPDX-License-Identifier: Apache-2.0
 * Opens libcuda, calls through a pointer of dlsym, closes it again; TURNS times, each time at another place: the former one is
 * taken by then. Further arguments: copies of it, each of which is opened, called and kept. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void *open_and_call(const char *file)
{
    void *driver = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    launch *call = driver ? (launch *)dlsym(driver, "cuLaunchKernel") : 0;
    if (!call || call(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
        exit(1);
    return driver;
}

int main(int argc, char **argv)
{
    long page = sysconf(_SC_PAGESIZE);
    int places = 0;
    void *before = 0;
    for (int turn = 0; turn < atoi(argv[1]); turn++) {
        void *driver = open_and_call("libcuda.so.1");
        void *table = dlsym(driver, "cuGetExportTable"); /* not hooked: its address is the library's */
        places += table != before;
        before = table;
        dlclose(driver);
        int taken = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
        mmap((void *)((unsigned long)table & -page), (size_t)page, PROT_READ, taken, -1, 0);
    }
    printf("places %d\n", places);
    for (int i = 2; i < argc; i++)
        open_and_call(argv[i]);
    return 0;
}
