/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/traces.h"

#include "ovh/exit_codes.h"
#include "ovh/trace.h"
#include "record/fail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHOWN 8 /* files named one by one; more are counted */

/* Splits -o into folder and name as the library does: a folder means trace.bin in it. Both are the caller's. */
static void split(const char *out, char **folder, char **name)
{
    struct stat about;
    const char *slash = strrchr(out, '/');
    if (slash && !slash[1])
        *folder = record_text("%s", out), *name = record_text("trace.bin");
    else if (!stat(out, &about) && S_ISDIR(about.st_mode))
        *folder = record_text("%s", out), *name = record_text("trace.bin");
    else if (slash)
        *folder = record_text("%.*s", (int)(slash - out) + 1, out), *name = record_text("%s", slash + 1);
    else
        *folder = record_text("."), *name = record_text("%s", out);
}

struct record_place record_place_of(const char *out)
{
    char *asked, *name;
    if (!*out)
        record_fail(OVH_EXIT_BAD, "-o: is no file name; say -o FILE");
    split(out, &asked, &name);
    char *folder = realpath(asked, 0);
    if (!folder)
        record_fail(OVH_EXIT_BAD, "%s: no trace can be written there: %s; make the folder first", out, strerror(errno));
    if (access(folder, W_OK | X_OK))
        record_fail(OVH_EXIT_BAD, "%s: no trace can be written there: %s; say -o FILE in another folder", out, strerror(errno));
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name)
        dot = name + strlen(name);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    bool here = !strcmp(asked, ".") || !strcmp(asked, "./");
    return (struct record_place){
        .folder = folder,
        .shown = record_text("%s%s", here ? "" : asked, here || asked[strlen(asked) - 1] == '/' ? "" : "/"),
        .stem = record_text("%.*s", (int)(dot - name), name),
        .suffix = record_text("%s", dot),
        .path = record_text("%s/%s", strcmp(folder, "/") ? folder : "", name),
        .since = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
    };
}

/* "trace.bin", "trace.4711.bin", "trace.rank3.bin", and "trace.bin.old": a process of the run that ended before another began. */
static bool is_named_so(const struct record_place *place, const char *name)
{
    size_t stem = strlen(place->stem), suffix = strlen(place->suffix), length = strlen(name);
    if (length > 4 && !strcmp(name + length - 4, ".old"))
        length -= 4;
    if (length < stem + suffix || strncmp(name, place->stem, stem) || strncmp(name + length - suffix, place->suffix, suffix))
        return false;
    return length == stem + suffix || name[stem] == '.';
}

/* A trace that started in this run. Fills in its size in bytes. */
static bool is_of_this_run(const struct record_place *place, const char *name, uint64_t *bytes)
{
    struct ovh_file_head head;
    struct stat about;
    char *path = record_text("%s/%s", place->folder, name);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    free(path);
    if (file < 0)
        return false;
    bool ours = !fstat(file, &about) && S_ISREG(about.st_mode) && pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                !memcmp(head.magic, OVH_TRACE_MAGIC, sizeof head.magic) && head.start_realtime >= place->since;
    close(file);
    *bytes = ours ? (uint64_t)about.st_blocks * 512 : 0;
    return ours;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

unsigned record_traces_say(const struct record_place *place)
{
    struct dirent **entries;
    unsigned found = 0;
    int count = scandir(place->folder, &entries, 0, by_name);
    for (int i = 0; i < count; i++) {
        uint64_t bytes;
        if (is_named_so(place, entries[i]->d_name) && is_of_this_run(place, entries[i]->d_name, &bytes) && ++found <= SHOWN)
            record_say("wrote %s%s, %.1f MB", place->shown, entries[i]->d_name, (double)bytes / 1e6);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (found > SHOWN)
        record_say("and %u more", found - SHOWN);
    if (!found)
        record_say("no trace was written: the program made no CUDA call that libovh.so could see, or a line above says why");
    return found;
}
