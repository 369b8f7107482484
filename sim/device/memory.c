/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory. Device memory is mapped without being reserved: it costs the host only what is touched, reads as zero until then, and the
 * host can read and write it, so copies and .item() work.
 */
#include "sim/device/device.h"
#include "sim/device/settings.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct range {
    char *base;
    size_t bytes;
    enum sim_memory kind;
    bool ours; /* we mapped it: registered memory is the program's */
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct range *ranges; /* sorted by base */
static size_t count, room;
static uint64_t used; /* device and managed bytes */

/* Index of the first range whose base lies above `pointer`. With the lock held. */
static size_t above(const char *pointer)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].base <= pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct range *find(const char *pointer)
{
    size_t i = above(pointer);
    return i && pointer < ranges[i - 1].base + ranges[i - 1].bytes ? &ranges[i - 1] : NULL;
}

static int insert(struct range range)
{
    if (count == room) {
        size_t more = room ? room * 2 : 256;
        struct range *bigger = realloc(ranges, more * sizeof *bigger);
        if (!bigger)
            return SIM_OUT_OF_MEMORY;
        ranges = bigger;
        room = more;
    }
    size_t i = above(range.base);
    memmove(&ranges[i + 1], &ranges[i], (count - i) * sizeof *ranges);
    ranges[i] = range;
    count++;
    return SIM_OK;
}

static void drop(struct range *range)
{
    size_t i = (size_t)(range - ranges);
    memmove(&ranges[i], &ranges[i + 1], (count - i - 1) * sizeof *ranges);
    count--;
}

static bool counts(enum sim_memory kind)
{
    return kind == SIM_MEMORY_DEVICE || kind == SIM_MEMORY_MANAGED;
}

int sim_memory_alloc(void **out, size_t bytes, enum sim_memory kind)
{
    if (!out)
        return SIM_INVALID_VALUE;
    *out = NULL;
    if (!bytes)
        return SIM_OK; /* cudaMalloc(&p, 0) succeeds with a null pointer */
    uint64_t total = sim_settings()->memory_bytes;
    int status = SIM_OK;
    pthread_rwlock_wrlock(&lock);
    if (counts(kind) && (bytes > total || used > total - bytes))
        status = SIM_OUT_OF_MEMORY;
    void *memory = status ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        status = SIM_OUT_OF_MEMORY;
    else if ((status = insert((struct range){memory, bytes, kind, true})))
        munmap(memory, bytes);
    if (!status) {
        used += counts(kind) ? bytes : 0;
        *out = memory;
    }
    pthread_rwlock_unlock(&lock);
    return status;
}

int sim_memory_free(void *pointer)
{
    if (!pointer)
        return SIM_OK;
    pthread_rwlock_wrlock(&lock);
    struct range *range = find(pointer);
    int status = range && range->ours && range->base == pointer ? SIM_OK : SIM_INVALID_VALUE;
    if (!status) {
        used -= counts(range->kind) ? range->bytes : 0;
        munmap(range->base, range->bytes);
        drop(range);
    }
    pthread_rwlock_unlock(&lock);
    return status;
}

int sim_memory_register(void *pointer, size_t bytes)
{
    if (!pointer || !bytes)
        return SIM_INVALID_VALUE;
    pthread_rwlock_wrlock(&lock);
    int status = find(pointer) ? 712 /* already registered */ : insert((struct range){pointer, bytes, SIM_MEMORY_HOST, false});
    pthread_rwlock_unlock(&lock);
    return status;
}

int sim_memory_unregister(void *pointer)
{
    pthread_rwlock_wrlock(&lock);
    struct range *range = find(pointer);
    int status = range && !range->ours && range->base == pointer ? SIM_OK : 713 /* not registered */;
    if (!status)
        drop(range);
    pthread_rwlock_unlock(&lock);
    return status;
}

enum sim_memory sim_memory_of(const void *pointer, void **base, size_t *bytes)
{
    pthread_rwlock_rdlock(&lock);
    struct range *range = find(pointer);
    enum sim_memory kind = range ? range->kind : SIM_MEMORY_NONE;
    if (range && base)
        *base = range->base;
    if (range && bytes)
        *bytes = range->bytes;
    pthread_rwlock_unlock(&lock);
    return kind;
}

void sim_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    pthread_rwlock_rdlock(&lock);
    size_t total = sim_settings()->memory_bytes, left = total - used;
    pthread_rwlock_unlock(&lock);
    if (free_bytes)
        *free_bytes = left;
    if (total_bytes)
        *total_bytes = total;
}
