/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams: how far each is booked, and waiting for that.
 */
#include "sim/device/settings.h"
#include "sim/device/state.h"
#include <stdlib.h>

#define STREAM_MAGIC 0x4d525453u
#define LEGACY_HANDLE ((void *)1)
#define PER_THREAD_HANDLE ((void *)2)

pthread_mutex_t sim_lock = PTHREAD_MUTEX_INITIALIZER;
struct ovh_sim_counts sim_counts;

static unsigned queue_depth; /* 0: as the settings say */
static unsigned long long next_id = 2;
static struct sim_stream legacy = {.magic = STREAM_MAGIC, .id = 1};
static struct sim_stream *all = &legacy;
static __thread struct sim_stream *own;
static __thread int per_thread;

int sim_per_thread_begin(void)
{
    return per_thread++;
}

void sim_per_thread_end(int *unused)
{
    per_thread--;
}

SIM_EXPORT void ovh_sim_set_queue_depth(unsigned launches)
{
    pthread_mutex_lock(&sim_lock);
    queue_depth = launches < 1 ? 1 : launches > 65536 ? 65536 : launches;
    pthread_mutex_unlock(&sim_lock);
}

static struct sim_stream *stream_make(unsigned flags, int priority)
{
    struct sim_stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->magic = STREAM_MAGIC;
    s->flags = flags;
    s->priority = priority;
    s->id = next_id++;
    s->next = all;
    return all = s;
}

struct sim_stream *sim_stream_of(void *handle)
{
    if (handle == PER_THREAD_HANDLE || (!handle && per_thread))
        return own ? own : (own = stream_make(0, 0));
    if (!handle || handle == LEGACY_HANDLE)
        return &legacy;
    struct sim_stream *s = handle;
    return s->magic == STREAM_MAGIC ? s : NULL;
}

struct sim_stream *sim_stream_all(void)
{
    return all;
}

/* The legacy stream and the blocking ones wait for each other. */
uint64_t sim_stream_ready(struct sim_stream *s)
{
    uint64_t ready = s->busy_until;
    if (s == &legacy) {
        for (struct sim_stream *other = all; other; other = other->next)
            if (!(other->flags & SIM_STREAM_NON_BLOCKING) && other->busy_until > ready)
                ready = other->busy_until;
    } else if (!(s->flags & SIM_STREAM_NON_BLOCKING) && legacy.busy_until > ready) {
        ready = legacy.busy_until;
    }
    return ready;
}

void sim_block(uint64_t until)
{
    uint64_t start = ovh_sim_ticks();
    if (until <= start)
        return;
    sim_wait_until(until);
    __atomic_fetch_add(&sim_counts.waits, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sim_counts.wait_ns, ovh_sim_ticks() - start, __ATOMIC_RELAXED);
}

/* Launches that are done leave the queue. An empty queue takes on a new depth. */
static void queue_expire(struct sim_stream *s, uint64_t now)
{
    while (s->count && s->ends[s->first] <= now) {
        s->first = (s->first + 1) % s->depth;
        s->count--;
    }
    unsigned depth = queue_depth ? queue_depth : sim_settings()->queue_depth;
    if (s->count == 0 && s->depth != depth) {
        uint64_t *ends = malloc(depth * sizeof *ends);
        if (!ends)
            return;
        free(s->ends);
        s->ends = ends;
        s->depth = depth;
        s->first = 0;
    }
}

void sim_enqueue(struct sim_stream *s, uint64_t ns)
{
    uint64_t now = ovh_sim_ticks(), start = now;
    queue_expire(s, now);
    bool full = s->count && s->count == s->depth;
    while (s->count && s->count == s->depth) {
        uint64_t until = s->ends[s->first];
        pthread_mutex_unlock(&sim_lock);
        sim_wait_until(until);
        pthread_mutex_lock(&sim_lock);
        now = ovh_sim_ticks();
        queue_expire(s, now);
    }
    if (full) {
        sim_counts.blocked++;
        sim_counts.blocked_ns += now - start;
    }
    uint64_t ready = sim_stream_ready(s);
    s->busy_until = (ready > now ? ready : now) + ns;
    if (s->depth) {
        s->ends[(s->first + s->count) % s->depth] = s->busy_until;
        s->count++;
    }
}

int sim_stream_create(struct sim_stream **out, unsigned flags, int priority)
{
    if (!out || (flags & ~SIM_STREAM_NON_BLOCKING))
        return SIM_INVALID_VALUE;
    pthread_mutex_lock(&sim_lock);
    *out = stream_make(flags, priority > 0 ? 0 : priority < -5 ? -5 : priority);
    pthread_mutex_unlock(&sim_lock);
    return *out ? SIM_OK : SIM_OUT_OF_MEMORY;
}

/* The struct stays: a destroyed stream's work goes on, and a stale handle must be told, not followed into freed memory. */
int sim_stream_destroy(void *stream)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    int status = !s || s == &legacy || s == own ? SIM_INVALID_HANDLE : SIM_OK;
    if (!status)
        s->magic = 0;
    pthread_mutex_unlock(&sim_lock);
    return status;
}

int sim_stream_query(void *stream)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    int status = !s ? SIM_INVALID_HANDLE : s->capture ? SIM_CAPTURE_UNSUPPORTED : SIM_OK;
    if (!status && sim_stream_ready(s) > ovh_sim_ticks())
        status = SIM_NOT_READY;
    pthread_mutex_unlock(&sim_lock);
    return status;
}

int sim_stream_synchronize(void *stream)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    int status = !s ? SIM_INVALID_HANDLE : s->capture ? SIM_CAPTURE_UNSUPPORTED : SIM_OK;
    uint64_t until = status ? 0 : sim_stream_ready(s);
    pthread_mutex_unlock(&sim_lock);
    sim_block(until);
    return status;
}

int sim_device_synchronize(void)
{
    uint64_t until = 0;
    int status = SIM_OK;
    pthread_mutex_lock(&sim_lock);
    for (struct sim_stream *s = all; s; s = s->next) {
        if (s->capture)
            status = SIM_CAPTURE_UNSUPPORTED;
        if (s->busy_until > until)
            until = s->busy_until;
    }
    pthread_mutex_unlock(&sim_lock);
    if (!status)
        sim_block(until);
    return status;
}

int sim_stream_priority(void *stream, int *priority)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    if (s && priority)
        *priority = s->priority;
    pthread_mutex_unlock(&sim_lock);
    return !s ? SIM_INVALID_HANDLE : !priority ? SIM_INVALID_VALUE : SIM_OK;
}

int sim_stream_flags(void *stream, unsigned *flags)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    if (s && flags)
        *flags = s->flags;
    pthread_mutex_unlock(&sim_lock);
    return !s ? SIM_INVALID_HANDLE : !flags ? SIM_INVALID_VALUE : SIM_OK;
}

int sim_stream_id(void *stream, unsigned long long *id)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    if (s && id)
        *id = s->id;
    pthread_mutex_unlock(&sim_lock);
    return !s ? SIM_INVALID_HANDLE : !id ? SIM_INVALID_VALUE : SIM_OK;
}

SIM_EXPORT void ovh_sim_get_counts(struct ovh_sim_counts *counts)
{
    size_t free_bytes, total;
    sim_memory_info(&free_bytes, &total);
    pthread_mutex_lock(&sim_lock);
    *counts = sim_counts;
    pthread_mutex_unlock(&sim_lock);
    counts->allocated = total - free_bytes;
}
