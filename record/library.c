/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/library.h"

#include "ovh/exit_codes.h"
#include "record/fail.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *record_own_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return 0;
    *slash = 0;
    return record_text("%s", path);
}

/* NULL where `path` is not a readable file. Frees `path`. */
static char *if_readable(char *path)
{
    char *absolute = access(path, R_OK) == 0 ? realpath(path, 0) : 0;
    free(path);
    return absolute;
}

char *record_library_find(void)
{
    char *folder = record_own_folder(), *found = 0;
    if (folder)
        found = if_readable(record_text("%s/libovh.so", folder));
    if (!found)
        found = if_readable(record_text("%s/libovh.so", OVH_LIBDIR));
    if (!found && folder)
        found = if_readable(record_text("%s/../lib/libovh.so", folder));
    if (!found)
        record_fail(OVH_EXIT_BAD, "libovh.so: not found in %s nor in %s; build it with `make` or install it with `make install`",
                    folder ? folder : "the folder of ovh-record", OVH_LIBDIR);
    if (strpbrk(found, " :"))
        record_fail(OVH_EXIT_BAD, "%s: LD_PRELOAD cannot name a path with a space or a colon in it; move ovh to another folder",
                    found);
    free(folder);
    return found;
}

void record_preload_first(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    char *list = record_text("%s", library);
    for (const char *p = before ? before : ""; *p;) {
        size_t length = strcspn(p, " :");
        if (length && !(length == strlen(library) && !strncmp(p, library, length))) {
            char *longer = record_text("%s:%.*s", list, (int)length, p);
            free(list);
            list = longer;
        }
        p += length;
        p += strspn(p, " :");
    }
    setenv("LD_PRELOAD", list, 1);
    free(list);
}
