/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/head.h"

#include "preload/writer/define.h"
#include "preload/writer/settings.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_file(const char *path, char *to, size_t room)
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

uint64_t ovh_head_process_start(void)
{
    char text[1024];
    if (read_file("/proc/self/stat", text, sizeof text) <= 0)
        return 0;
    char *at = strrchr(text, ')'); /* the name in brackets may hold anything; field 3 follows */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, 0, 10) : 0;
}

static void command_line(void)
{
    static char text[8192];
    ssize_t n = read_file("/proc/self/cmdline", text, sizeof text);
    if (n <= 0)
        return;
    if (!ovh_setting_on(OVH_SETTING_REDACT))
        for (ssize_t i = 0; i + 1 < n; i++)
            if (!text[i])
                text[i] = ' ';
    ovh_define_value("command", text);
}

void ovh_head_early(void)
{
    command_line();
}

void ovh_head_late(void)
{
}
