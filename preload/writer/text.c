/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t ovh_text_read(const char *path, char *to, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t n = 0;
    for (ssize_t got; n + 1 < room && (got = read(fd, to + n, room - 1 - n)) > 0;)
        n += (size_t)got;
    close(fd);
    to[n] = 0;
    return (ssize_t)n;
}

bool ovh_text_field(const char *text, const char *name, char separator, char *to, size_t room)
{
    size_t n = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : 0) {
        const char *at = line + n;
        if (strncmp(line, name, n) != 0)
            continue;
        at += strspn(at, " \t");
        if (*at != separator)
            continue;
        at += 1 + strspn(at + 1, " \t");
        size_t bytes = strcspn(at, "\n");
        while (bytes && (at[bytes - 1] == ' ' || at[bytes - 1] == '\t'))
            bytes--;
        snprintf(to, room, "%.*s", (int)bytes, at);
        return true;
    }
    return false;
}

struct entry { /* what getdents64 gives */
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

bool ovh_text_directory(const char *path, bool (*visit)(const char *name, void *data), void *data)
{
    uint64_t buffer[128]; /* small: a thread's first call may come on a signal's stack */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool more = true;
    for (long n; more && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;)
        for (char *at = (char *)buffer; more && at < (char *)buffer + n;) {
            const struct entry *entry = (const struct entry *)(const void *)at;
            if (entry->name[0] != '.')
                more = visit(entry->name, data);
            at += entry->bytes;
        }
    close(fd);
    return true;
}

struct list {
    int n;
    char *first;
    size_t room;
};

static bool count(const char *name, void *data)
{
    struct list *list = data;
    if (!list->n++)
        snprintf(list->first, list->room, "%s", name);
    return true;
}

int ovh_text_list(const char *path, char *first, size_t room)
{
    struct list list = {.first = first, .room = room};
    return ovh_text_directory(path, count, &list) ? list.n : -1;
}
