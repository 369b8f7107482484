/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/file.h"

#include "preload/writer/check.h"
#include "preload/writer/complain.h"
#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include "preload/writer/name.h"
#include "preload/writer/settings.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AHEAD = 4 /* chunks allocated at a time */, COPIES = 256 };

static struct {
    struct ovh_lock lock;
    enum ovh_file_state state;
    int fd;
    dev_t dev;
    ino_t ino;
    uint32_t chunk_bytes;
    uint32_t next;      /* index of the next chunk to hand out */
    uint64_t allocated; /* bytes of the file */
    uint64_t limit;     /* OVH_MAX_SIZE */
    struct ovh_name name;
    uint8_t *first; /* stride 0, mapped for good */
    bool copies;    /* space cannot be allocated or mapped: strides are memory, written to the file every now and then */
    struct {
        uint8_t *stride;
        uint32_t index;
    } copy[COPIES];
} f = {.fd = -1};

enum ovh_file_state ovh_file_state(void)
{
    return __atomic_load_n(&f.state, __ATOMIC_ACQUIRE);
}

static void set_state(enum ovh_file_state state)
{
    __atomic_store_n(&f.state, state, __ATOMIC_RELEASE);
}

const char *ovh_file_path(void)
{
    return f.name.path;
}

uint32_t ovh_file_payload_bytes(void)
{
    return f.chunk_bytes - (uint32_t)sizeof(struct ovh_chunk_head);
}

/* Descriptors are the host's: one that closes all of them may have given our number to another file by now. */
static bool still_ours(int fd)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == f.ino && st.st_dev == f.dev;
}

static bool have_file(void)
{
    if (still_ours(f.fd))
        return true;
    int fd = open(f.name.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && still_ours(fd)) { /* closed by the host: take it again */
        int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
        if (high >= 0)
            close(fd);
        f.fd = high >= 0 ? high : fd;
        flock(f.fd, LOCK_EX | LOCK_NB);
        return true;
    }
    if (fd >= 0)
        close(fd);
    f.fd = -1;
    errno = EBADF;
    return false;
}

/* The file has `size` bytes afterwards, all of them allocated. */
static bool allocate(uint64_t size)
{
    struct rlimit limit;
    if (size > f.limit || (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur)) {
        errno = EFBIG;
        return false;
    }
    struct ovh_held held; /* the limit may change under our feet, and a signal would interrupt fallocate */
    ovh_hold(&held, SIGXFSZ);
    int failed = fallocate(f.fd, 0, (off_t)f.allocated, (off_t)(size - f.allocated)), error = errno;
    ovh_hold_end(&held);
    if (!failed)
        f.allocated = size;
    errno = error;
    return !failed;
}

static void stop(int error)
{
    set_state(OVH_FILE_STOPPED);
    ovh_complain(f.name.path, f.allocated + f.chunk_bytes > f.limit ? "has reached OVH_MAX_SIZE, recording stops"
                 : error == EBADF ? "was closed by the program, recording stops" : "cannot grow, recording stops", error == EBADF ? 0 : error);
}

bool ovh_file_copies(void)
{
    return f.copies;
}

static bool write_copy(const uint8_t *stride, uint32_t index)
{
    struct ovh_held held;
    ovh_hold(&held, SIGXFSZ);
    ssize_t written = pwrite(f.fd, stride, f.chunk_bytes, (off_t)((uint64_t)index * f.chunk_bytes));
    int error = written < 0 ? errno : ENOSPC;
    ovh_hold_end(&held);
    errno = error;
    return written == (ssize_t)f.chunk_bytes;
}

/* All of them, also where one fails: on a full disk those that the file has already can still be brought up to date. */
static bool write_copies(void)
{
    int error = 0;
    for (uint32_t i = 0; i < COPIES; i++)
        if (f.copy[i].stride && !write_copy(f.copy[i].stride, f.copy[i].index))
            error = errno;
    errno = error;
    return !error;
}

static uint8_t *memory_stride(void)
{
    uint32_t i = 0;
    while (i < COPIES && f.copy[i].stride)
        i++;
    uint64_t end = ((uint64_t)f.next + 1) * f.chunk_bytes;
    uint8_t *stride = MAP_FAILED;
    errno = ENOMEM;
    if (i < COPIES && end <= f.limit)
        stride = mmap(0, f.chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stride == MAP_FAILED)
        return 0;
    f.copy[i].stride = stride;
    f.copy[i].index = f.next++;
    f.allocated = end;
    return stride;
}

/* NFS and others have no fallocate; 9p and some of FUSE's no shared mappings; a sandbox may forbid either. Told by the first stride. */
static bool needs_copies(int error)
{
    return f.next == 0 && (error == EOPNOTSUPP || error == ENOSYS || error == EPERM || error == ENODEV || error == EACCES);
}

/* The next stride of the file, mapped. */
static uint8_t *next_stride(void)
{
    if (f.copies)
        return memory_stride();
    uint64_t at = (uint64_t)f.next * f.chunk_bytes, end = at + f.chunk_bytes;
    if (end > f.allocated && (!have_file() || (!allocate(at + (uint64_t)AHEAD * f.chunk_bytes) && !allocate(end)))) {
        f.copies = needs_copies(errno);
        return f.copies ? memory_stride() : 0;
    }
    if (!still_ours(f.fd) && !have_file())
        return 0;
    void *stride = mmap(0, f.chunk_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, (off_t)at);
    if (stride == MAP_FAILED) {
        f.copies = needs_copies(errno);
        return f.copies ? memory_stride() : 0;
    }
    f.next++;
    return stride;
}

static uint32_t chunk_bytes_in_force(void)
{
    uint64_t bytes = ovh_setting_bytes(OVH_SETTING_CHUNK), page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t least = page > (16u << 10) ? page : 16u << 10;
    if (bytes & (bytes - 1) || bytes < least || bytes > OVH_CHUNK_BYTES_MAX)
        bytes = OVH_CHUNK_BYTES;
    return (uint32_t)bytes;
}

struct ovh_chunk_head *ovh_file_make(struct ovh_file_head *head)
{
    struct stat st;
    f.chunk_bytes = head->chunk_bytes = chunk_bytes_in_force();
    f.limit = ovh_setting_bytes(OVH_SETTING_MAX_SIZE);
    f.allocated = 0;
    f.next = 0;
    f.copies = false;
    memset(f.copy, 0, sizeof f.copy);
    f.fd = ovh_name_create(&f.name);
    uint8_t *first = 0;
    if (f.fd >= 0 && fstat(f.fd, &st) == 0) {
        f.dev = st.st_dev;
        f.ino = st.st_ino;
        first = f.first = next_stride();
    }
    if (!first) {
        ovh_complain(f.name.path, "cannot be made, nothing is recorded", errno);
        if (f.fd >= 0) {
            unlinkat(f.name.dir, f.name.temporary, 0);
            close(f.fd);
        }
        if (f.name.dir >= 0)
            ovh_name_done(&f.name);
        f.fd = -1;
        set_state(OVH_FILE_FAILED);
        return 0;
    }
    set_state(OVH_FILE_OPEN);
    return (struct ovh_chunk_head *)(void *)(first + head->head_bytes);
}

bool ovh_file_publish(const struct ovh_file_head *head)
{
    struct ovh_file_head whole = *head;
    uint32_t was_busy = ovh_lock_take(&f.lock);
    whole.check = XXH32(&whole, offsetof(struct ovh_file_head, check), 0);
    memcpy(f.first, &whole, sizeof whole);
    bool done = (!f.copies || write_copies()) && ovh_name_publish(&f.name);
    if (!done) {
        ovh_complain(f.name.path, "cannot be made, nothing is recorded", errno);
        unlinkat(f.name.dir, f.name.temporary, 0);
        set_state(OVH_FILE_FAILED);
    }
    ovh_name_done(&f.name);
    ovh_lock_drop(&f.lock, was_busy);
    return done;
}

struct ovh_chunk_head *ovh_file_chunk(void)
{
    if (ovh_file_state() != OVH_FILE_OPEN)
        return 0;
    uint32_t was_busy = ovh_lock_take(&f.lock), index = f.next;
    struct ovh_chunk_head *chunk = 0;
    if (f.state == OVH_FILE_OPEN) {
        chunk = (struct ovh_chunk_head *)(void *)next_stride();
        if (chunk)
            chunk->index = index;
        else
            stop(errno);
    }
    ovh_lock_drop(&f.lock, was_busy);
    return chunk;
}

void ovh_file_copy(void)
{
    if (!f.copies)
        return;
    uint32_t was_busy = ovh_lock_take(&f.lock);
    bool done = have_file() && write_copies();
    if (!done && f.state == OVH_FILE_OPEN)
        stop(errno);
    ovh_lock_drop(&f.lock, was_busy);
}

/* Under the lock. */
static void forget(struct ovh_chunk_head *chunk, bool wanted)
{
    for (uint32_t i = 0; f.copies && i < COPIES; i++)
        if (f.copy[i].stride == (uint8_t *)chunk) {
            if (wanted && have_file())
                write_copy(f.copy[i].stride, f.copy[i].index);
            f.copy[i].stride = 0;
        }
    munmap(chunk, f.chunk_bytes);
}

void ovh_file_release(struct ovh_chunk_head *chunk)
{
    if (!f.copies) {
        munmap(chunk, f.chunk_bytes);
        return;
    }
    uint32_t was_busy = ovh_lock_take(&f.lock);
    forget(chunk, true);
    ovh_lock_drop(&f.lock, was_busy);
}

void ovh_file_unget(struct ovh_chunk_head *chunk)
{
    uint32_t was_busy = ovh_lock_take(&f.lock);
    if (chunk->index + 1 == f.next) {
        f.next--;
        chunk->index = 0;
    }
    forget(chunk, false);
    ovh_lock_drop(&f.lock, was_busy);
}

uint32_t ovh_file_trim(void)
{
    uint32_t was_busy, strides = 0;
    if (ovh_file_state() == OVH_FILE_NONE || !ovh_lock_take_within(&f.lock, 100, &was_busy))
        return 0;
    uint64_t used = (uint64_t)f.next * f.chunk_bytes;
    if (!f.copies && f.allocated > used && still_ours(f.fd) && ftruncate(f.fd, (off_t)used) == 0)
        f.allocated = used;
    strides = (uint32_t)(f.allocated / f.chunk_bytes);
    ovh_lock_drop(&f.lock, was_busy);
    return strides;
}

void ovh_file_close(void)
{
    uint32_t was_busy = ovh_lock_take(&f.lock);
    set_state(OVH_FILE_STOPPED);
    if (still_ours(f.fd)) {
        flock(f.fd, LOCK_UN); /* what is mapped would keep it */
        close(f.fd);
    }
    f.fd = -1;
    ovh_lock_drop(&f.lock, was_busy);
}

void ovh_file_forked(void)
{
    f.lock.word = 0;
    if (still_ours(f.fd))
        close(f.fd);
    f.fd = -1;
    if (f.state != OVH_FILE_FAILED)
        set_state(OVH_FILE_NONE);
}
