/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/complain.h"

#include "preload/writer/settings.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(sigset_t) <= sizeof(((struct ovh_held *)0)->before), "room for a signal mask");

void ovh_hold(struct ovh_held *held, int signal)
{
    sigset_t one, pending;
    sigemptyset(&one);
    sigaddset(&one, signal);
    held->signal = signal;
    held->was_pending = sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
    pthread_sigmask(SIG_BLOCK, &one, (sigset_t *)held->before);
}

void ovh_hold_end(struct ovh_held *held)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, held->signal);
    static const struct timespec at_once;
    if (!held->was_pending)
        while (sigtimedwait(&one, 0, &at_once) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, (const sigset_t *)held->before, 0);
}

/* strerror may translate, allocate and lock: the few that can happen here are said by ourselves. */
static const char *reason(int error)
{
    switch (error) {
    case EACCES: return "permission denied";
    case EDQUOT: return "disk quota is used up";
    case EEXIST: return "file exists";
    case EFBIG: return "file size limit reached";
    case EIO: return "input/output error";
    case ELOOP: return "is a symbolic link";
    case EMFILE: case ENFILE: return "too many open files";
    case ENAMETOOLONG: return "name too long";
    case ENOENT: return "no such directory";
    case ENOMEM: return "out of memory";
    case ENOSPC: return "no space left on device";
    case ENOTDIR: return "not a directory";
    case EPERM: return "not permitted";
    case ENXIO: return "is a device, a pipe or a socket";
    case EROFS: return "read-only file system";
    default: return "system error";
    }
}

static size_t append(char *line, size_t at, size_t room, const char *text)
{
    while (*text && at + 1 < room) {
        line[at++] = (unsigned char)*text < ' ' ? '?' : *text;
        text++;
    }
    return at;
}

void ovh_complain(const char *file, const char *what, int error)
{
    static uint32_t said;
    if (ovh_setting_on(OVH_SETTING_QUIET) || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        return;
    char line[512];
    size_t room = sizeof line - 1, n = append(line, 0, room, "ovh: ");
    if (file) {
        n = append(line, n, room - 200, file);
        n = append(line, n, room, ": ");
    }
    n = append(line, n, room, what);
    if (error) {
        n = append(line, n, room, ": ");
        n = append(line, n, room, reason(error));
    }
    line[n++] = '\n';
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
        return;
    struct ovh_held held;
    ovh_hold(&held, SIGPIPE);
    ssize_t done = write(STDERR_FILENO, line, n);
    (void)done;
    ovh_hold_end(&held);
}
