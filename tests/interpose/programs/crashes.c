/* SPDX-License-Identifier: Apache-2.0
 * A preload with signal handlers, as libSegFault.so and sampling profilers are: says a word where the program crashes, on a stack of
 * its own, and lets it die; and walks the stack a thousand times a second of CPU time. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char stack[1 << 16];

static void sample(int number)
{
    void *frames[32];
    backtrace(frames, 32);
}

static void crashed(int number, siginfo_t *info, void *context)
{
    void *frames[32];
    int n = backtrace(frames, 32);
    dprintf(1, "crashed: signal %d at %ld, %s\n", number, (long)info->si_addr, n > 0 ? "with a stack" : "without a stack");
}

__attribute__((constructor)) static void begin(void)
{
    void *frames[4];
    backtrace(frames, 4); /* loads what it needs now, not in a handler */
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&own, 0);
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    sigaction(SIGSEGV, &action, 0);
    struct sigaction sampling = {.sa_handler = sample, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &sampling, 0);
    struct itimerval every = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &every, 0);
}
