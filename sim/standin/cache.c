/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "sim/standin/cache.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *text(const char *format, const char *a, const char *b)
{
    char *out;
    return asprintf(&out, format, a, b) < 0 ? NULL : out;
}

/* Makes a folder and those above it, 0700. */
static int make_folders(const char *path)
{
    char *copy = strdup(path);
    int failed = copy ? 0 : -1;
    for (char *p = copy ? copy + 1 : NULL; p && *p && !failed; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        failed = mkdir(copy, 0700) && errno != EEXIST;
        *p = '/';
    }
    if (!failed)
        failed = mkdir(path, 0700) && errno != EEXIST;
    free(copy);
    return failed;
}

/* Libraries are loaded from here: nobody else may write to it. */
static bool trusted(const char *path)
{
    struct stat info;
    return !lstat(path, &info) && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && !(info.st_mode & 022);
}

static int write_file(const char *folder, const char *name, const uint8_t *bytes, size_t count)
{
    char *path = text("%s/%s", folder, name);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    free(path);
    size_t done = 0;
    while (fd >= 0 && done < count) {
        ssize_t n = write(fd, bytes + done, count - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (fd < 0 || close(fd) || done < count)
        return -1;
    return 0;
}

static int write_all(const struct standin_plan *plan, const char *folder)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct standin_library *library = &plan->libraries[i];
        size_t bytes;
        if (library->simulated)
            continue;
        uint8_t *object = standin_write(library->soname, plan->machine, library->symbols, library->count, &bytes);
        int failed = -1;
        if (object)
            failed = write_file(folder, library->soname, object, bytes);
        else
            errno = ENOMEM;
        free(object);
        if (failed)
            return -1;
    }
    return 0;
}

static void remove_all(const struct standin_plan *plan, const char *folder)
{
    for (size_t i = 0; i < plan->count; i++) {
        char *path = text("%s/%s", folder, plan->libraries[i].soname);
        if (path)
            unlink(path);
        free(path);
    }
    rmdir(folder);
}

/* Into a folder of another name first; the rename makes it visible as a whole. */
static int fill(const struct standin_plan *plan, const char *folder)
{
    char *work = text("%s.%s", folder, "XXXXXX");
    int failed = !work || !mkdtemp(work) || write_all(plan, work);
    if (!failed && rename(work, folder))
        failed = errno != EEXIST && errno != ENOTEMPTY ? -1 : 1; /* 1: another process was faster, and its folder is as good */
    int keep = errno;
    if (failed && work)
        remove_all(plan, work);
    free(work);
    errno = keep;
    return failed < 0 || (failed && !trusted(folder)) ? -1 : 0;
}

static char *base_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        return text("%s%s", cache, "/ovh/sim");
    return home && *home == '/' ? text("%s%s", home, "/.cache/ovh/sim") : NULL;
}

char *standin_cache(const struct standin_plan *plan, char *error, size_t room)
{
    char *base = base_folder(), *folder = NULL, key[20];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)plan->key);
    if (base)
        folder = text("%s/%s", base, key);
    if (!folder)
        snprintf(error, room, "no folder for the stand-ins of NVIDIA's libraries: neither XDG_CACHE_HOME nor HOME is set; set one");
    else if (make_folders(base))
        snprintf(error, room, "%s: cannot be made: %s; set XDG_CACHE_HOME to a folder of yours", base, strerror(errno));
    else if (access(folder, F_OK) && fill(plan, folder))
        snprintf(error, room, "%s: cannot be filled: %s; set XDG_CACHE_HOME to a folder of yours", folder, strerror(errno));
    else if (!trusted(folder))
        snprintf(error, room, "%s: is not yours alone; remove it, or set XDG_CACHE_HOME to a folder of yours", folder);
    else {
        free(base);
        return folder;
    }
    free(base);
    free(folder);
    return NULL;
}
