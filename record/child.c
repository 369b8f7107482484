/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/child.h"

#include "ovh/exit_codes.h"
#include "record/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals that people and launchers send to a job. Stop and continue are left to the terminal's process group. */
static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGPIPE};

static sigset_t watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&set, passed_on[i]);
    sigaddset(&set, SIGCHLD);
    return set;
}

/* Never returns. Where the command cannot be executed, errno goes into `pipe_end`, which a successful exec closes. */
static void become(char **command, const sigset_t *mask, int pipe_end)
{
    sigprocmask(SIG_SETMASK, mask, 0);
    execvp(command[0], command);
    int why = errno;
    ssize_t ignored = write(pipe_end, &why, sizeof why);
    (void)ignored;
    _exit(OVH_EXIT_CANNOT_RUN);
}

/* Starts the command; returns its process id. */
static pid_t start(char **command, const sigset_t *mask)
{
    int ends[2], why;
    if (pipe2(ends, O_CLOEXEC))
        record_fail(OVH_EXIT_BAD, "%s: cannot be started: %s", command[0], strerror(errno));
    pid_t child = fork();
    if (child < 0)
        record_fail(OVH_EXIT_BAD, "%s: cannot be started: %s", command[0], strerror(errno));
    if (!child)
        become(command, mask, ends[1]);
    close(ends[1]);
    ssize_t got;
    do
        got = read(ends[0], &why, sizeof why);
    while (got < 0 && errno == EINTR);
    close(ends[0]);
    if (got == (ssize_t)sizeof why) {
        waitpid(child, 0, 0);
        record_fail(why == ENOENT ? OVH_EXIT_NOT_FOUND : OVH_EXIT_CANNOT_RUN, "%s: cannot be run: %s", command[0], strerror(why));
    }
    return child;
}

/* Waits for the child's end, passing signals on. Returns the wait status. */
static int stand_by(pid_t child, const sigset_t *set)
{
    for (;;) {
        siginfo_t info;
        int number = sigwaitinfo(set, &info), status;
        if (number < 0)
            continue; /* EINTR: stopped and continued */
        /* A key press reaches the whole process group, the command included: passing it on would make two of one. */
        bool from_process = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
        if (number != SIGCHLD && from_process && info.si_pid != child)
            kill(child, number);
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
    }
}

int record_child_run(char **command)
{
    sigset_t set = watched(), before;
    signal(SIGCHLD, SIG_DFL); /* an inherited "ignore" would take the status from us */
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t child = start(command, &before);
    int status = stand_by(child, &set);
    sigprocmask(SIG_SETMASK, &before, 0);
    return WIFSIGNALED(status) ? OVH_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
