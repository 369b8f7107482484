/* SPDX-License-Identifier: Apache-2.0
 * A timer at 10 kHz whose handler makes a hooked call, while the program calls through its symbol and through dlsym on a library that it loads and
 * unloads again and again: signals VERSION FILE TURNS MOVE. Prints how many calls it made; MOVE 1: the library is elsewhere each time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

int cudaGetDevice(int *);

static volatile long from_handler, wrong;
static void handler(int number)
{
    int device = -1;
    (void)number;
    wrong += cudaGetDevice(&device) != 0 || device != 13;
    from_handler++;
}

static long turn(const char *file, int version, int move)
{
    int device = -1;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    int (*get)(int *) = library ? (int (*)(int *))dlsym(library, "cudaGetDevice") : 0;
    if (!get)
        exit(1);
    for (int i = 0; i < 100; i++) {
        wrong += get(&device) != 0 || device != version;
        wrong += cudaGetDevice(&device) != 0 || device != 13;
    }
    dlclose(library);
    if (move)
        mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* where the library was */
    return 200;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {.it_interval.tv_usec = 100, .it_value.tv_usec = 100}, never = {{0}};
    long calls = 0;
    if (argc != 5)
        return 2;
    cudaGetDevice(&(int){0}); /* opens the trace, which starts a thread: not for a handler that may stand in malloc */
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; i < atoi(argv[3]); i++)
        calls += turn(argv[2], atoi(argv[1]), atoi(argv[4]));
    setitimer(ITIMER_REAL, &never, 0);
    printf("calls %ld handler %ld wrong %ld\n", calls, from_handler, wrong);
    return 0;
}
