/* SPDX-License-Identifier: Apache-2.0
 *
 * A host in trouble, or one that makes it: stress WHAT [N]. Prints its own truth like host.c.
 */
#define _GNU_SOURCE
#include "tests/guest/cudart.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void calls(long n)
{
    int device;
    for (long i = 0; i < n; i++)
        cudaGetDevice(&device);
}

static void say(const char *key, long value)
{
    printf("%s %ld\n", key, value);
    fflush(stdout);
}

static long limit_of_stack(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);
    return least > PTHREAD_STACK_MIN ? least : PTHREAD_STACK_MIN;
}

/* A thread whose stack is as small as may be, and that has `spare` bytes of it more. */
static void small_thread(void *(*body)(void *), void *argument, long spare)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)(limit_of_stack() + spare));
    if (pthread_create(&thread, &attributes, body, argument) != 0)
        exit(1);
    pthread_join(thread, 0);
}

/* ---- threads */

static pthread_barrier_t line_up;
static void *after_barrier(void *n)
{
    pthread_barrier_wait(&line_up);
    calls(*(long *)n);
    return 0;
}

/* 64 threads whose first calls come at the same moment; with the process's first among them */
static void run_at_once(long n)
{
    pthread_t thread[64];
    pthread_barrier_init(&line_up, 0, 64);
    for (int i = 0; i < 64; i++)
        pthread_create(&thread[i], 0, after_barrier, &n);
    for (int i = 0; i < 64; i++)
        pthread_join(thread[i], 0);
    say("calls", 64 * n);
}

static void *comes_and_goes(void *unused)
{
    calls(3);
    return unused;
}

/* n threads, 32 of them alive at a time, every fourth detached */
static void run_come_and_go(long n)
{
    pthread_t thread[32];
    for (long done = 0; done < n; done += 32) {
        for (int i = 0; i < 32; i++)
            if (pthread_create(&thread[i], 0, comes_and_goes, 0) != 0)
                exit(1);
        for (int i = 0; i < 32; i++)
            pthread_join(thread[i], 0);
    }
    say("calls", 3 * n);
}

static void *small(void *n)
{
    calls(*(long *)n);
    return 0;
}

/* The process's first call, and many more, on the smallest stack there is. */
static void run_small_stack(long n)
{
    small_thread(small, &n, 0);
    say("calls", n);
}

/* ---- cancellation */

static void blocks(void *unused)
{
    (void)unused;
    for (;;)
        pause();
}

static void *is_cancelled_inside(void *unused)
{
    calls(2);
    cudaLaunchHostFunc(0, blocks, 0);
    return unused;
}

/* The request is pending when the thread makes its first call: what the recorder does must not be the place where it ends. */
static void *is_cancelled_at_its_first_call(void *unused)
{
    pthread_cancel(pthread_self());
    calls(5000);
    say("survived", 1);
    pthread_testcancel();
    say("not cancelled", 1);
    return unused;
}

static void run_cancel(long n)
{
    pthread_t thread;
    void *result;
    long cancelled = 0;
    for (long i = 0; i < n; i++) {
        pthread_create(&thread, 0, is_cancelled_at_its_first_call, 0);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
        pthread_create(&thread, 0, is_cancelled_inside, 0);
        usleep(20000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
        calls(1);
    }
    say("cancelled", cancelled);
    say("calls", n * (5000 + 2 + 1));
}

/* ---- signals on a stack of their own */

static void handler(int number)
{
    (void)number;
    calls(3);
}

static void run_signal_stack(long n)
{
    stack_t stack = {.ss_size = (size_t)sysconf(_SC_SIGSTKSZ), .ss_sp = malloc((size_t)sysconf(_SC_SIGSTKSZ))};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, 0);
    sigaction(SIGUSR1, &action, 0);
    for (long i = 0; i < n; i++)
        raise(SIGUSR1);
    say("calls", 3 * n);
}

/* ---- processes that are not quite processes */

static int in_clone(void *n)
{
    calls(*(long *)n);
    return 7;
}

/* Children that share our memory, and thread-local data with it: vfork's and clone's. What they call is this process's. */
static void run_share_memory(long n)
{
    static char stack[256 << 10] __attribute__((aligned(16)));
    int status;
    calls(5);
    pid_t child = vfork();
    if (child == 0) {
        calls(n);
        _exit(7);
    }
    waitpid(child, &status, 0);
    say("vfork", WEXITSTATUS(status));
    calls(5);
    child = clone(in_clone, stack + sizeof stack, CLONE_VM | SIGCHLD, &n);
    waitpid(child, &status, 0);
    say("clone", WEXITSTATUS(status));
    calls(5);
    say("calls", 15 + 2 * n);
    say("pid", getpid());
}

/* A fork that pthread_atfork's handlers do not see. */
static void run_raw_fork(long n)
{
    int status;
    calls(5);
    fflush(stdout);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        calls(n);
        _exit(7);
    }
    waitpid(child, &status, 0);
    calls(5);
    say("child", child);
    say("status", WEXITSTATUS(status));
}

/* ---- limits */

static void run_address_space(long n)
{
    struct rlimit limit;
    char text[64] = "";
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || !fgets(text, sizeof text, f))
        exit(1);
    fclose(f);
    limit.rlim_cur = limit.rlim_max = (rlim_t)atol(text) * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)n * 1024;
    setrlimit(RLIMIT_AS, &limit);
    calls(400000);
    say("calls", 400000);
}

static void run_few_files(long n)
{
    struct rlimit limit = {.rlim_cur = (rlim_t)n, .rlim_max = (rlim_t)n};
    setrlimit(RLIMIT_NOFILE, &limit);
    calls(200000);
    say("calls", 200000);
}

/* A new root that does not have the trace, with the descriptors closed (n: 1) or not. */
static void run_chroot(long n)
{
    calls(5);
    if (mkdir("jail", 0700) != 0 || chroot("jail") != 0 || chdir("/") != 0) {
        say("cannot", 1);
        return;
    }
    if (n)
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
    calls(200000);
    say("calls", 200005);
}

/* ---- a kernel that refuses */

struct rule {
    const char *name;
    long number;
    int argument; /* with `bit` set in this argument only; -1: always */
    unsigned bit;
};

static const struct rule rules[] = {
    {"fallocate", SYS_fallocate, -1, 0},    {"mmap", SYS_mmap, 3, MAP_SHARED},     {"openat", SYS_openat, -1, 0},
    {"clone", SYS_clone, -1, 0},            {"clone3", SYS_clone3, -1, 0},         {"flock", SYS_flock, -1, 0},
    {"renameat2", SYS_renameat2, -1, 0},    {"fcntl", SYS_fcntl, -1, 0},           {"madvise", SYS_madvise, -1, 0},
    {"ftruncate", SYS_ftruncate, -1, 0},    {"prctl", SYS_prctl, -1, 0},           {"getdents64", SYS_getdents64, -1, 0},
    {"tgkill", SYS_tgkill, -1, 0},          {"unlinkat", SYS_unlinkat, -1, 0},     {"newfstatat", SYS_newfstatat, -1, 0},
    {"pwrite64", SYS_pwrite64, -1, 0},      {"munmap", SYS_munmap, -1, 0},
};

/* "fallocate=95,mmap=1": these fail with these error numbers from now on. */
static void refuse(const char *which)
{
    struct sock_filter code[128];
    int n = 0;
    for (const char *at = which; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        const struct rule *r = rules;
        size_t length = strcspn(at, "=");
        while (strncmp(r->name, at, length) != 0 || r->name[length])
            if (++r == rules + sizeof rules / sizeof rules[0])
                exit(3);
        unsigned error = (unsigned)atoi(at + length + 1), skip = r->argument < 0 ? 1 : 3;
        code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)r->number, 0, (unsigned char)skip);
        if (r->argument >= 0) {
            code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offsetof(struct seccomp_data, args) + 8 * (size_t)r->argument));
            code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, r->bit, 0, 1);
        }
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        say("cannot", 1);
        exit(0);
    }
}

/* argv: what is refused, calls before that, calls after */
static void run_refuse(char **argv)
{
    calls(atol(argv[1]));
    refuse(argv[0]);
    calls(atol(argv[2]));
    printf("calls %ld\n", atol(argv[1]) + atol(argv[2])); /* write(2) may be refused: that is this program's trouble */
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(long n);
    } what[] = {
        {"at-once", run_at_once}, {"come-and-go", run_come_and_go}, {"small-stack", run_small_stack}, {"cancel", run_cancel},
        {"signal-stack", run_signal_stack}, {"share-memory", run_share_memory}, {"raw-fork", run_raw_fork},
        {"address-space", run_address_space}, {"few-files", run_few_files}, {"chroot", run_chroot},
    };
    if (argc == 5 && !strcmp(argv[1], "refuse"))
        return run_refuse(argv + 2), 0;
    for (size_t i = 0; argc == 3 && i < sizeof what / sizeof what[0]; i++)
        if (!strcmp(argv[1], what[i].name))
            return what[i].run(atol(argv[2])), 0;
    return 2;
}
