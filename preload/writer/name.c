/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock is flock(2) on the trace itself, held by its writer for as long as it lives: no lock file, nothing to clean up.
 */
#define _GNU_SOURCE
#include "preload/writer/name.h"

#include "ovh/trace.h"
#include "preload/writer/settings.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HIGH_DESCRIPTOR = 200, TRIES = 20, FILE_NAME_MAX = 200 /* bytes; NAME_MAX less rank, process and ".old" */ };

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

static bool is_number(const char *s)
{
    size_t n = s ? strspn(s, "0123456789") : 0;
    return n > 0 && n < 10 && !s[n];
}

/* The rank that a launcher gave, or NULL. SLURM_PROCID is set in a plain allocation too: only a step of several tasks counts. */
static const char *rank_of_launcher(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_number(getenv(names[i])))
            return getenv(names[i]);
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (is_number(tasks) && strcmp(tasks, "1") != 0 && is_number(getenv("SLURM_PROCID")))
        return getenv("SLURM_PROCID");
    return 0;
}

/* The real path of where we stand, so that the file is found again after a chdir; "" if that cannot be told. */
static size_t put_directory(struct ovh_name *name, const char *out, size_t n)
{
    size_t at = 0;
    if (out[0] != '/' && getcwd(name->path, sizeof name->path - 1400)) {
        at = strlen(name->path);
        if (at && name->path[at - 1] != '/')
            name->path[at++] = '/';
    }
    memcpy(name->path + at, out, n);
    name->path[at + n] = 0;
    return at + n;
}

/* Splits OVH_OUT into directory and file, and opens the directory. */
static bool find_directory(struct ovh_name *name, const char **file)
{
    const char *out = ovh_setting(OVH_SETTING_OUT), *slash = strrchr(out, '/');
    struct stat st = {0};
    size_t n = slash ? (size_t)(slash + 1 - out) : 0;
    *file = out + n;
    bool there = stat(out, &st) == 0, unfit = there && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode);
    if (!**file || (there && S_ISDIR(st.st_mode))) {
        n = strlen(out);
        *file = "trace.bin";
    }
    name->file = (uint32_t)put_directory(name, out, n);
    if (name->file && name->path[name->file - 1] != '/')
        name->path[name->file++] = '/';
    name->path[name->file] = 0;
    snprintf(name->path + name->file, 256, "%s", *file);
    if (unfit || strlen(*file) > FILE_NAME_MAX) { /* /dev/null, /dev/stdout: no place to put files beside, either */
        errno = unfit ? ENXIO : ENAMETOOLONG;
        return false;
    }
    char kept = name->path[name->file];
    name->path[name->file] = 0;
    name->dir = open(name->file ? name->path : ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    name->path[name->file] = kept;
    return name->dir >= 0;
}

static int high_descriptor(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0)
        high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

int ovh_name_create(struct ovh_name *name)
{
    const char *file;
    name->dir = -1;
    if (!find_directory(name, &file))
        return -1;
    name->dir = high_descriptor(name->dir);
    snprintf(name->temporary, sizeof name->temporary, ".trace.bin.%d", (int)getpid());
    int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int fd = openat(name->dir, name->temporary, flags, 0600);
    if (fd < 0 && errno == EEXIST) { /* left behind by a killed process that had our number */
        unlinkat(name->dir, name->temporary, 0);
        fd = openat(name->dir, name->temporary, flags, 0600);
    }
    if (fd < 0)
        return -1;
    fd = high_descriptor(fd);
    flock(fd, LOCK_EX | LOCK_NB); /* where the file system has no locks, a live trace is told by nothing: see move_finished() */
    return fd;
}

/* name -> stem.TAG.extension */
static void with_tag(char *to, size_t room, const char *name, const char *tag)
{
    const char *dot = strrchr(name, '.');
    int stem = (int)(dot && dot != name ? dot - name : (long)strlen(name));
    snprintf(to, room, "%.*s.%s%s", stem, name, tag, name + stem);
}

static bool rename_new(int dir, const char *from, const char *to)
{
    if (syscall(SYS_renameat2, dir, from, dir, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) /* EPERM: an older container's way to say that it does not know the call */
        return false;
    if (linkat(dir, from, dir, to, 0) != 0)
        return false;
    unlinkat(dir, from, 0);
    return true;
}

/* Is `file` a trace of ours whose writer has ended? Then it is moved to FILE.old. */
static bool move_finished(int dir, const char *file)
{
    struct stat opened, named;
    char magic[8], old[300];
    int fd = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT;
    snprintf(old, sizeof old, "%s.old", file);
    bool moved = fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
                 pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic && !memcmp(magic, OVH_TRACE_MAGIC, sizeof magic) &&
                 flock(fd, LOCK_EX | LOCK_NB) == 0 && fstatat(dir, file, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                 named.st_ino == opened.st_ino && named.st_dev == opened.st_dev && renameat(dir, file, dir, old) == 0;
    close(fd);
    return moved;
}

/* Takes the name, moving a finished trace of that name out of the way. False: it belongs to somebody else, or errno != EEXIST. */
static bool take_name(struct ovh_name *name, const char *wanted)
{
    snprintf(name->path + name->file, 256, "%s", wanted);
    for (int turn = 0; turn < TRIES; turn++) {
        if (rename_new(name->dir, name->temporary, wanted))
            return true;
        if (errno != EEXIST || !move_finished(name->dir, wanted))
            return false;
    }
    return false;
}

bool ovh_name_publish(struct ovh_name *name)
{
    char wanted[256], ranked[256], numbered[256], tag[32];
    const char *rank = rank_of_launcher();
    snprintf(wanted, sizeof wanted, "%s", name->path + name->file);
    snprintf(ranked, sizeof ranked, "%s", wanted);
    if (rank) {
        snprintf(tag, sizeof tag, "rank%.9s", rank);
        with_tag(ranked, sizeof ranked, wanted, tag);
    }
    snprintf(tag, sizeof tag, "%d", (int)getpid());
    with_tag(numbered, sizeof numbered, ranked, tag);
    if (take_name(name, ranked) || (faccessat(name->dir, ".", W_OK, 0) == 0 && take_name(name, numbered)))
        return true;
    int error = errno;
    unlinkat(name->dir, name->temporary, 0);
    errno = error;
    return false;
}

void ovh_name_done(struct ovh_name *name)
{
    close(name->dir);
    name->dir = -1;
}
