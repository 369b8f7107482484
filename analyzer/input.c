/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/input.h"

#include "ovh/exit_codes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_AT_ONCE (1u << 20)

static bool complain(const char *file, const char *what, const char *why, const char *to_do)
{
    fprintf(stderr, "ovh-report: %s: %s: %s; %s\n", file, what, why, to_do);
    return false;
}

/* A mapped file that somebody cuts while we read it raises SIGBUS: say so instead of dying by a signal. */
static void on_sigbus(int number)
{
    static const char text[] =
        "ovh-report: the trace file became shorter while it was being read: it was cut or rewritten; copy it first\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    (void)number;
    _exit(OVH_EXIT_BAD);
}

/* Pipes and other things that can't be mapped. */
static bool read_all(struct input *in, int fd)
{
    size_t room = 0;
    for (;;) {
        if (in->size + READ_AT_ONCE > room) {
            room = 2 * room + READ_AT_ONCE;
            void *more = realloc(in->bytes, room);
            if (!more)
                return complain(in->file, "cannot read", "out of memory", "save it to a file and name that");
            in->bytes = more;
        }
        ssize_t n = read(fd, (char *)in->bytes + in->size, READ_AT_ONCE);
        if (n < 0 && errno != EINTR)
            return complain(in->file, "cannot read", strerror(errno), "name a trace file");
        if (n == 0)
            return true;
        if (n > 0)
            in->size += (size_t)n;
    }
}

static bool map_or_read(struct input *in, int fd)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        in->size = (size_t)st.st_size;
        in->bytes = mmap(NULL, in->size, PROT_READ, MAP_PRIVATE, fd, 0);
        in->mapped = in->bytes != MAP_FAILED;
        if (in->mapped) {
            madvise(in->bytes, in->size, MADV_SEQUENTIAL);
            signal(SIGBUS, on_sigbus);
            return true;
        }
        in->bytes = NULL;
        in->size = 0;
    }
    return read_all(in, fd);
}

static void release(struct input *in)
{
    if (in->mapped)
        munmap(in->bytes, in->size);
    else
        free(in->bytes);
    in->bytes = NULL;
}

bool input_open(struct input *in, const char *file)
{
    *in = (struct input){.file = file};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return complain(file, "cannot open", strerror(errno), "name a trace file that you may read");
    bool there = map_or_read(in, fd);
    close(fd);
    struct trace_error e;
    if (there && trace_open(&in->trace, in->bytes, in->size, &e))
        return true;
    if (there) {
        char text[256];
        fprintf(stderr, "ovh-report: %s: %s\n", file, trace_error_text(&e, text, sizeof text));
    }
    release(in);
    return false;
}

void input_close(struct input *in)
{
    trace_close(&in->trace);
    release(in);
}
