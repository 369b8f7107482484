/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that calls CUDA and prints its own truth, one "key value" per line: host WHAT [N].
 */
#define _GNU_SOURCE
#include "tests/guest/cudart.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void calls(long n)
{
    int device;
    for (long i = 0; i < n; i++) {
        errno = 4321;
        cudaGetDevice(&device);
        if (errno != 4321) {
            printf("errno changed\n");
            exit(1);
        }
    }
}

static void say(const char *key, long value)
{
    printf("%s %ld\n", key, value);
    fflush(stdout);
}

static void *short_thread(void *n)
{
    calls(*(long *)n);
    return 0;
}

/* n threads one after the other, 3 calls each */
static void run_short_threads(long n)
{
    long three = 3;
    for (long i = 0; i < n; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, short_thread, &three);
        pthread_join(thread, 0);
    }
    say("threads", n);
}

/* 8 threads at once, n calls each */
static void run_threads(long n)
{
    pthread_t thread[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&thread[i], 0, short_thread, &n);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], 0);
    say("threads", 8);
}

/* Counts its calls in the mapped file `truth`, until it is killed. */
static void run_forever(void)
{
    int fd = open("truth", O_RDWR | O_CREAT, 0600), device;
    if (ftruncate(fd, 4096) != 0)
        exit(1);
    volatile long *count = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    say("ready", 0);
    for (;;) {
        cudaGetDevice(&device);
        ++*count;
    }
}

static void in_span(void *n)
{
    pid_t child = fork();
    if (child == 0) {
        calls(*(long *)n);
        say("child", getpid());
        return; /* the child leaves the span that the parent entered */
    }
    waitpid(child, 0, 0);
    calls(5);
}

static void run_fork(long n)
{
    pid_t parent = getpid();
    calls(10);
    cudaLaunchHostFunc(0, in_span, &n);
    if (getpid() != parent)
        _exit(0);
    say("parent", parent);
}

/* Children that call no CUDA: they must leave no file. */
static void run_workers(void)
{
    calls(10);
    for (int i = 0; i < 4; i++)
        if (fork() == 0)
            _exit(0);
    while (wait(0) > 0)
        ;
    say("workers", 4);
}

static volatile long from_handler;
static void handler(int signal)
{
    int device;
    (void)signal;
    cudaGetDevice(&device);
    from_handler++;
}

static void run_signals(long n)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {.it_interval.tv_usec = 50, .it_value.tv_usec = 50}, never = {0};
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    int device;
    for (long i = 0; i < n; i++)
        cudaGetDevice(&device);
    setitimer(ITIMER_REAL, &never, 0);
    say("main", n);
    say("handler", from_handler);
}

/* All descriptors are closed, their numbers taken by a file of our own, which nobody else may write to. */
static void run_close_all(long n)
{
    calls(10);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    for (int i = 0; i < 300; i++)
        if (open("mine", O_RDWR | O_CREAT, 0600) < 0)
            exit(1);
    calls(n);
    say("calls", n + 10);
}

static jmp_buf away;
static void jump(void *unused)
{
    (void)unused;
    longjmp(away, 1);
}

static void run_jump(void)
{
    if (setjmp(away) == 0)
        cudaLaunchHostFunc(0, jump, 0);
    cudaDeviceSynchronize();
    cudaLaunchHostFunc(0, (void (*)(void *))(void (*)(void))cudaDeviceSynchronize, 0);
}

static void nest(void *n)
{
    if (--*(long *)n > 0)
        cudaLaunchHostFunc(0, nest, n);
    else
        calls(3);
}

/* Calls in two rounds of a thread's destructors: ovh's own has run by the second. */
static pthread_key_t late_key;
static char second_round;
static void late_in_thread(void *round)
{
    calls(2);
    if (round != &second_round)
        pthread_setspecific(late_key, &second_round);
}

static void at_exit(void)
{
    calls(4);
}
__attribute__((destructor)) static void at_the_very_end(void)
{
    if (getenv("HOST_LATE"))
        calls(8);
}

static void *late_thread(void *unused)
{
    (void)unused;
    pthread_setspecific(late_key, &late_key);
    calls(1);
    return 0;
}

static void run_late(void)
{
    pthread_t thread;
    setenv("HOST_LATE", "1", 1);
    atexit(at_exit);
    pthread_key_create(&late_key, late_in_thread);
    calls(1);
    pthread_create(&thread, 0, late_thread, 0);
    pthread_join(thread, 0);
    say("calls", 1 + 1 + 4 + 4 + 8);
}

static void run_limit(long n)
{
    struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    calls(n);
    say("calls", n);
}

/* Waits for a line on stdin between its first call and its end. */
static void run_wait(void)
{
    calls(3);
    say("ready", getpid());
    (void)!getchar();
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A call every half millisecond for n ms; then, where it is the main thread, a line on stdin is waited for. */
static void *paced(void *n)
{
    long done = 0;
    for (double end = seconds_now() + (double)*(long *)n / 1e3; seconds_now() < end; done++) {
        calls(1);
        usleep(500);
    }
    return (void *)done;
}

static void run_paced(long n)
{
    say("ready", (long)(seconds_now() * 1e9));
    say("calls", (long)paced(&n));
    (void)!getchar();
    calls(5);
}

/* 4 threads that are paced so, and one that sits in a hooked call all the time. */
static void run_paced_threads(long n)
{
    pthread_t thread[4];
    void *done;
    say("ready", 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, paced, &n);
    cudaLaunchHostFunc(0, (void (*)(void *))(void (*)(void))getchar, 0);
    calls(5);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], &done);
        say("calls", (long)done);
    }
}

/* Calls before, in and after a child that is paced itself. */
static void run_paced_fork(long n)
{
    calls(3);
    pid_t child = fork();
    long done = (long)paced(&n);
    if (child == 0) {
        say("child", getpid());
        say("child-calls", done);
        _exit(0);
    }
    waitpid(child, 0, 0);
    say("calls", done + 3);
}

/* Loads libraries before and after its first call. */
static void run_load(int n, char **paths)
{
    for (int i = 0; i < n; i++) {
        if (!dlopen(paths[i], RTLD_NOW))
            printf("cannot load: %s\n", dlerror());
        calls(1);
    }
    say("calls", n);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 1;
    if (!strcmp(what, "calls"))
        calls(n), say("calls", n);
    else if (!strcmp(what, "short-threads"))
        run_short_threads(n);
    else if (!strcmp(what, "threads"))
        run_threads(n);
    else if (!strcmp(what, "forever"))
        run_forever();
    else if (!strcmp(what, "fork"))
        run_fork(n);
    else if (!strcmp(what, "workers"))
        run_workers();
    else if (!strcmp(what, "signals"))
        run_signals(n);
    else if (!strcmp(what, "close-all"))
        run_close_all(n);
    else if (!strcmp(what, "jump"))
        run_jump();
    else if (!strcmp(what, "nest"))
        nest(&n);
    else if (!strcmp(what, "late"))
        run_late();
    else if (!strcmp(what, "limit"))
        run_limit(n);
    else if (!strcmp(what, "wait"))
        run_wait();
    else if (!strcmp(what, "paced"))
        run_paced(n);
    else if (!strcmp(what, "paced-threads"))
        run_paced_threads(n);
    else if (!strcmp(what, "paced-fork"))
        run_paced_fork(n);
    else if (!strcmp(what, "load"))
        run_load(argc - 2, argv + 2);
    else if (!strcmp(what, "exec"))
        calls(2), execv(argv[2], argv + 2);
    else if (strcmp(what, "nothing") != 0)
        return 2;
    return 0;
}
