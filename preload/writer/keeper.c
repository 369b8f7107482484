/* SPDX-License-Identifier: Apache-2.0
 *
 * States: NONE until the file is open, RUNNING, INLINE (no thread, or the process is ending: whoever needs a chunk makes it).
 * A spare chunk changes hands by one exchange of a pointer. The thread takes no lock over its slow work but those of file.c and define.c,
 * and allocates nothing, so that a fork at any moment leaves nothing locked in the child that the host might need.
 */
#define _GNU_SOURCE
#include "preload/writer/keeper.h"

#include "preload/writer/anchor.h"
#include "preload/writer/arm.h"
#include "preload/writer/chunk.h"
#include "preload/writer/clock.h"
#include "preload/writer/define.h"
#include "preload/writer/file.h"
#include "preload/writer/own_thread.h"
#include "preload/writer/lock.h"
#include "preload/writer/loss.h"
#include "preload/writer/objects.h"
#include "preload/writer/process.h"
#include "preload/writer/recording.h"
#include "preload/writer/stop.h"
#include "preload/writer/thread_list.h"
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { SPARES = 4, RETIRED = 64, SECOND_MS = 1000, FINISH_MS = 200 };
enum state { NONE, RUNNING, INLINE };

static struct {
    enum state state;
    uint32_t calls; /* counts up when there is work; the thread sleeps on it */
    uint32_t made; /* there is a thread, RUNNING or finishing a recording that has stopped */
    uint32_t stop, stopped;
    struct ovh_chunk_head *spare[SPARES];
    struct ovh_lock lock; /* of what follows */
    uint32_t n;
    struct {
        struct ovh_chunk_head *chunk;
        uint32_t used;
    } retired[RETIRED];
} k;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void call(void)
{
    __atomic_add_fetch(&k.calls, 1, __ATOMIC_RELEASE);
    ovh_futex_wake(&k.calls, 1);
}

/* Every page is there for writing when the thread that gets the chunk comes: a page fault costs it more than hundreds of events. */
static void fault_in(struct ovh_chunk_head *chunk)
{
    size_t bytes = ovh_file_payload_bytes() + sizeof *chunk, page = (size_t)sysconf(_SC_PAGESIZE);
    if (madvise(chunk, bytes, MADV_POPULATE_WRITE) == 0)
        return;
    volatile uint32_t *first = (volatile uint32_t *)(void *)chunk;
    for (size_t at = 0; at < bytes; at += page)
        first[at / 4] = 0; /* `magic` of an unused chunk, or payload: zero is what is there */
}

static void prepare(void)
{
    for (int i = 0; i < SPARES; i++) {
        if (__atomic_load_n(&k.spare[i], __ATOMIC_RELAXED))
            continue;
        struct ovh_chunk_head *chunk = __atomic_load_n(&k.stop, __ATOMIC_ACQUIRE) ? 0 : ovh_file_chunk();
        if (!chunk)
            return;
        fault_in(chunk);
        __atomic_store_n(&k.spare[i], chunk, __ATOMIC_RELEASE);
    }
}

static bool take_retired(struct ovh_chunk_head **chunk, uint32_t *used)
{
    uint32_t was_busy = ovh_lock_take(&k.lock);
    bool any = k.n > 0;
    if (any) {
        k.n--;
        *chunk = k.retired[k.n].chunk;
        *used = k.retired[k.n].used;
    }
    ovh_lock_drop(&k.lock, was_busy);
    return any;
}

static void seal(struct ovh_chunk_head *chunk, uint32_t used)
{
    ovh_chunk_seal(chunk, used);
    ovh_file_release(chunk);
}

static void seal_retired(void)
{
    struct ovh_chunk_head *chunk;
    uint32_t used;
    while (take_retired(&chunk, &used))
        seal(chunk, used);
}

static void every_second(void)
{
    struct ovh_def_anchor anchor = ovh_anchor_take();
    if (ovh_file_state() == OVH_FILE_OPEN)
        ovh_define_anchor(&anchor);
    ovh_thread_sweep();
    ovh_objects_define();
    ovh_loss_write(ovh_file_state() == OVH_FILE_OPEN);
}

static void give_back_spares(void);

/* Recording is over. The keeper waits a little for threads that do something, so that their parts end in good order. */
static void finish_stopped(uint32_t wait_ms)
{
    for (uint64_t limit = now_ms() + wait_ms; ovh_stop_left() && now_ms() < limit && !__atomic_load_n(&k.stop, __ATOMIC_ACQUIRE);) {
        uint32_t calls = __atomic_load_n(&k.calls, __ATOMIC_ACQUIRE);
        ovh_futex_wait(&k.calls, calls, 5);
    }
    ovh_arm_never();
    __atomic_store_n(&k.state, INLINE, __ATOMIC_RELEASE);
    seal_retired();
    give_back_spares();
    ovh_process_stopped();
}

static void *keep(void *nothing)
{
    (void)nothing;
    ovh_busy_begin(); /* for good: nothing that this thread does is an event */
    prctl(PR_SET_NAME, "ovh-keeper");
    prepare();
    ovh_process_late();
    for (uint64_t next = now_ms() + SECOND_MS; !__atomic_load_n(&k.stop, __ATOMIC_ACQUIRE);) {
        uint32_t calls = __atomic_load_n(&k.calls, __ATOMIC_ACQUIRE);
        prepare();
        seal_retired();
        ovh_file_copy();
        uint64_t now = now_ms(), wait = ovh_file_copies() ? 50 : SECOND_MS;
        if (now >= next) {
            every_second();
            next = now + SECOND_MS;
        }
        if (next - now < wait)
            wait = next - now;
        uint64_t left = ovh_recording_left_ms();
        if (!left)
            ovh_stop(ovh_tick());
        if (ovh_stopped()) {
            finish_stopped(FINISH_MS / 2);
            break;
        }
        if (left < wait)
            wait = left;
        if (!__atomic_load_n(&k.stop, __ATOMIC_ACQUIRE))
            ovh_futex_wait(&k.calls, calls, (uint32_t)wait);
    }
    __atomic_store_n(&k.stopped, 1, __ATOMIC_RELEASE);
    ovh_futex_wake(&k.stopped, 1);
    return 0;
}

void ovh_keeper_start(void)
{
    __atomic_store_n(&k.state, RUNNING, __ATOMIC_RELEASE);
    if (ovh_own_thread_start(keep)) {
        __atomic_store_n(&k.made, 1, __ATOMIC_RELEASE);
        return;
    }
    __atomic_store_n(&k.state, INLINE, __ATOMIC_RELEASE);
    seal_retired();
    ovh_process_late();
}

/* Without the thread: what it does every second, done by a thread that takes a chunk. */
static void inline_work(void)
{
    static uint64_t next;
    uint64_t now = now_ms();
    if (now < next)
        return;
    next = now + SECOND_MS;
    ovh_file_copy();
    every_second();
}

bool ovh_keeper_is_here(void)
{
    return __atomic_load_n(&k.state, __ATOMIC_ACQUIRE) == RUNNING;
}

void ovh_keeper_stop(void)
{
    if (ovh_keeper_is_here())
        call();
    else
        finish_stopped(0);
}

struct ovh_chunk_head *ovh_keeper_chunk(void)
{
    for (int i = 0; i < SPARES; i++) {
        struct ovh_chunk_head *chunk = __atomic_exchange_n(&k.spare[i], 0, __ATOMIC_ACQUIRE);
        if (chunk) {
            call();
            return chunk;
        }
    }
    if (__atomic_load_n(&k.state, __ATOMIC_ACQUIRE) == INLINE)
        inline_work();
    return ovh_file_chunk();
}

void ovh_keeper_retire(struct ovh_chunk_head *chunk, uint32_t used)
{
    uint32_t was_busy = ovh_lock_take(&k.lock);
    bool queued = k.state == RUNNING && k.n < RETIRED;
    if (queued) {
        k.retired[k.n].chunk = chunk;
        k.retired[k.n].used = used;
        k.n++;
    }
    ovh_lock_drop(&k.lock, was_busy);
    if (queued)
        call();
    else
        seal(chunk, used);
}

/* Spares go back highest first, so that the file's end moves down over all of them. */
static void give_back_spares(void)
{
    for (int turn = 0; turn < SPARES; turn++) {
        int last = -1;
        for (int i = 0; i < SPARES; i++)
            if (k.spare[i] && (last < 0 || k.spare[i]->index > k.spare[last]->index))
                last = i;
        struct ovh_chunk_head *chunk = last < 0 ? 0 : __atomic_exchange_n(&k.spare[last], 0, __ATOMIC_ACQUIRE);
        if (chunk)
            ovh_file_unget(chunk);
    }
}

void ovh_keeper_finish(void)
{
    if (__atomic_load_n(&k.made, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&k.stop, 1, __ATOMIC_RELEASE);
        call();
        for (uint64_t limit = now_ms() + FINISH_MS; !__atomic_load_n(&k.stopped, __ATOMIC_ACQUIRE) && now_ms() < limit;)
            ovh_futex_wait(&k.stopped, 0, 20);
        __atomic_store_n(&k.state, INLINE, __ATOMIC_RELEASE);
    }
    seal_retired();
    if (__atomic_load_n(&k.stopped, __ATOMIC_ACQUIRE)) /* else it may still be about to put one there: the file stays that much longer */
        give_back_spares();
}

void ovh_keeper_forked(void)
{
    k.state = NONE;
    k.calls = k.made = k.stop = k.stopped = 0;
    k.lock.word = 0;
    k.n = 0;
    for (int i = 0; i < SPARES; i++)
        k.spare[i] = 0;
}
