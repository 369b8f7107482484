/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/chunk.h"

#include "preload/writer/arm.h"
#include "preload/writer/check.h"
#include "preload/writer/define.h"
#include "preload/writer/file.h"
#include "preload/writer/keeper.h"
#include "preload/writer/lock.h"
#include "preload/writer/process.h"
#include "preload/writer/record.h"
#include "preload/writer/stop.h"
#include <errno.h>
#include <stddef.h>

enum {
    SCRATCH_WORDS = sizeof(((struct ovh_thread *)0)->scratch) / 4 - OVH_ROOM, /* then it starts again */
    LEFT = 256,               /* remains of chunks kept for new threads */
    WORTH_KEEPING = 64 + OVH_ROOM /* words: less is not handed on */
};

/* What dead threads left of their chunks. */
static struct {
    struct ovh_lock lock;
    uint32_t n;
    struct {
        struct ovh_chunk_head *chunk;
        uint32_t *next;
    } left[LEFT];
} pool;

/* Of the head as it will be: `magic` itself is stored last. */
static uint32_t head_check(const struct ovh_chunk_head *chunk)
{
    struct ovh_chunk_head head = *chunk;
    head.magic = OVH_CHUNK_MAGIC;
    return XXH32(&head, offsetof(struct ovh_chunk_head, used), 0);
}

void ovh_chunk_label(struct ovh_chunk_head *chunk, enum ovh_chunk_kind kind, uint32_t thread, uint64_t sequence, uint64_t base_tick)
{
    chunk->kind = (uint16_t)kind;
    chunk->thread = thread;
    chunk->sequence = sequence;
    chunk->base_tick = base_tick;
    chunk->head_check = head_check(chunk);
    __atomic_store_n(&chunk->magic, OVH_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

void ovh_chunk_seal(struct ovh_chunk_head *chunk, uint32_t used)
{
    chunk->check = XXH32(chunk + 1, used, 0);
    __atomic_store_n(&chunk->used, used, __ATOMIC_RELEASE);
}

static uint32_t used_bytes(const struct ovh_chunk_head *chunk, const uint32_t *next)
{
    return (uint32_t)((const uint8_t *)next - (const uint8_t *)(chunk + 1));
}

static void write_in(struct ovh_thread *t, struct ovh_chunk_head *chunk, uint32_t *next)
{
    t->chunk = chunk;
    t->next = next;
    __atomic_store_n(&t->limit, (uint32_t *)(void *)((uint8_t *)(chunk + 1) + ovh_file_payload_bytes()) - OVH_ROOM, __ATOMIC_SEQ_CST);
    if (ovh_stopped())
        t->limit = 0; /* it stopped while the chunk was taken */
    t->at = UINT64_MAX; /* each chunk says line and stack anew */
    t->stack_hash = 0;
}

void ovh_chunk_scratch(struct ovh_thread *t)
{
    t->chunk = 0;
    t->next = t->scratch;
    t->limit = t->scratch + SCRATCH_WORDS;
}

/* How many events the words hold. */
static uint32_t events_in(const uint32_t *w, const uint32_t *end)
{
    uint32_t n = 0;
    while (w < end) {
        uint32_t kind = *w & 3;
        n += kind != OVH_WORD_RECORD;
        w += kind == OVH_WORD_RECORD ? 1 + ((*w >> 2) & OVH_RECORD_WORDS_MAX) : kind == OVH_WORD_ENTER_LONG ? 2 : 1;
    }
    return n;
}

/* Open spans, outermost first. Deeper than what is kept: the outermost are left out, and it says so. */
static void write_snapshot(struct ovh_thread *t)
{
    uint32_t kept = t->depth < OVH_DEPTH ? t->depth : OVH_DEPTH, from = t->depth - kept, first = OVH_SNAPSHOT_FIRST;
    if (kept < t->depth)
        ovh_lost(OVH_LOSS_DEPTH, 1, "open spans");
    do {
        uint32_t n = kept < OVH_RECORD_WORDS_MAX ? kept : OVH_RECORD_WORDS_MAX;
        uint32_t *w = ovh_put(t, n);
        for (uint32_t i = 0; i < n; i++)
            w[1 + i] = t->open[(from + i) % OVH_DEPTH];
        from += n;
        kept -= n;
        ovh_put_done(w, OVH_R_SNAPSHOT, n, first | (kept ? OVH_SNAPSHOT_MORE : 0u) | (t->depth > OVH_DEPTH ? OVH_SNAPSHOT_CUT : 0u));
        first = 0;
    } while (kept);
}

static void write_lost_calls(struct ovh_thread *t)
{
    uint32_t lost = __atomic_exchange_n(&t->lost, 0, __ATOMIC_RELAXED);
    if (!t->chunk)
        ovh_lost(OVH_LOSS_RECURSION, lost, "threads without a chunk");
    if (!t->chunk || !lost)
        return;
    uint32_t *w = ovh_put(t, 2);
    ovh_put_64(w + 1, lost);
    ovh_put_done(w, OVH_R_LOSS, 2, OVH_LOSS_RECURSION);
}

static void write_time(struct ovh_thread *t, uint64_t tick)
{
    uint32_t *w = ovh_put(t, 2);
    ovh_put_64(w + 1, tick);
    ovh_put_done(w, OVH_R_TIME, 2, 0);
    t->last = tick;
}

static bool take_fresh(struct ovh_thread *t)
{
    struct ovh_chunk_head *chunk = ovh_keeper_chunk();
    if (!chunk)
        return false;
    ovh_chunk_label(chunk, OVH_CHUNK_EVENTS, t->number, t->sequence++, t->last);
    write_in(t, chunk, (uint32_t *)(chunk + 1));
    write_snapshot(t);
    ovh_window_write(t);
    return true;
}

/* Once, in the trace itself; stderr has been told by file.c. */
static void say_stopped(void)
{
    static uint32_t said;
    if (ovh_file_state() == OVH_FILE_STOPPED && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        ovh_note("recording stopped: the trace file could not grow (no space, a size limit or OVH_MAX_SIZE); later events are counted as lost");
}

static void next_chunk(struct ovh_thread *t)
{
    if (ovh_process_is_child())
        ovh_process_forked(); /* made without fork(3)'s handlers: this thread is in its scratch now */
    ovh_stop_if_due(t);
    if (ovh_stopped()) {
        ovh_stop_thread(t);
        return;
    }
    if (t->chunk) {
        ovh_keeper_retire(t->chunk, used_bytes(t->chunk, t->next));
        t->chunk = 0;
        if (!take_fresh(t)) {
            ovh_chunk_scratch(t);
            if (!ovh_stopped())
                say_stopped();
        }
    } else {
        if (ovh_file_state() == OVH_FILE_STOPPED)
            ovh_lost(OVH_LOSS_NO_SPACE, events_in(t->scratch, t->next), "events");
        ovh_chunk_scratch(t);
    }
    write_lost_calls(t);
}

void ovh_chunk_next(struct ovh_thread *t)
{
    int error = errno;
    uint32_t was_busy = ovh_busy_begin();
    next_chunk(t);
    ovh_busy_end(was_busy);
    errno = error;
}

static bool take_left(struct ovh_thread *t)
{
    struct ovh_chunk_head *chunk = 0;
    uint32_t *next = 0, was_busy = ovh_lock_take(&pool.lock);
    if (pool.n) {
        pool.n--;
        chunk = pool.left[pool.n].chunk;
        next = pool.left[pool.n].next;
    }
    ovh_lock_drop(&pool.lock, was_busy);
    if (!chunk)
        return false;
    write_in(t, chunk, next);
    uint32_t *w = ovh_put(t, 1);
    w[1] = t->number;
    ovh_put_done(w, OVH_R_THREAD, 1, 0);
    t->sequence = 1; /* this part is the thread's number 0 */
    write_time(t, t->last);
    write_snapshot(t);
    ovh_window_write(t);
    return true;
}

void ovh_chunk_begin(struct ovh_thread *t)
{
    t->last = ovh_tick();
    if ((t->depth > OVH_RECORD_WORDS_MAX || !take_left(t)) && !take_fresh(t))
        ovh_chunk_scratch(t);
    if (t->chunk)
        write_snapshot(t);
}

void ovh_chunk_give_up(struct ovh_thread *t)
{
    write_lost_calls(t);
    if (!t->chunk)
        return;
    bool kept = false;
    uint32_t was_busy = ovh_lock_take(&pool.lock);
    if (t->next + WORTH_KEEPING < t->limit && pool.n < LEFT) {
        pool.left[pool.n].chunk = t->chunk;
        pool.left[pool.n].next = t->next;
        pool.n++;
        kept = true;
    }
    ovh_lock_drop(&pool.lock, was_busy);
    if (!kept)
        ovh_keeper_retire(t->chunk, used_bytes(t->chunk, t->next));
    ovh_chunk_scratch(t);
}

void ovh_chunk_seal_left(void)
{
    uint32_t was_busy;
    if (!ovh_lock_take_within(&pool.lock, 100, &was_busy))
        return;
    while (pool.n) {
        pool.n--;
        ovh_chunk_seal(pool.left[pool.n].chunk, used_bytes(pool.left[pool.n].chunk, pool.left[pool.n].next));
        ovh_file_release(pool.left[pool.n].chunk);
    }
    ovh_lock_drop(&pool.lock, was_busy);
}

void ovh_chunk_forked(void)
{
    pool.lock.word = 0;
    pool.n = 0;
}

/* Ticks since the last event, after a TIME record where they do not fit or the clock went back (another CPU's counter). */
static uint64_t delta_or_time(struct ovh_thread *t, uint64_t now, uint64_t most)
{
    if (now - t->last > most)
        write_time(t, now);
    return now - t->last;
}

void ovh_enter_long(struct ovh_thread *t, uint32_t id, uint64_t now)
{
    uint64_t delta = delta_or_time(t, now, UINT32_MAX);
    if (id <= OVH_ENTER_ID_MAX && delta <= OVH_ENTER_DELTA_MAX) {
        *t->next++ = OVH_ENTER_WORD(id, delta);
    } else {
        t->next[1] = (uint32_t)delta;
        OVH_COMPILER_ORDER();
        t->next[0] = OVH_ENTER_LONG_WORD(id);
        t->next += 2;
    }
    t->last = now;
}

void ovh_leave_long(struct ovh_thread *t, bool failed, uint64_t now)
{
    uint64_t delta = delta_or_time(t, now, OVH_LEAVE_DELTA_MAX);
    *t->next++ = OVH_LEAVE_WORD(failed, delta);
    t->last = now;
}

void ovh_snapshot(struct ovh_thread *t)
{
    if (!t->chunk)
        return;
    if (t->next + OVH_DEPTH + OVH_DEPTH / 32 >= t->limit) {
        ovh_chunk_next(t);
    } else {
        write_time(t, ovh_tick());
        write_snapshot(t);
    }
}

void ovh_unwind(struct ovh_thread *t, uint32_t depth)
{
    while (t->depth > depth) {
        uint32_t n = t->depth - depth < 0xffff ? t->depth - depth : 0xffff;
        ovh_put_done(ovh_put(t, 0), OVH_R_UNWIND, 0, n);
        t->depth -= n;
    }
    if (t->depth < depth) { /* a span of another stack (greenlets) that was given up for closed: it is open after all */
        t->depth = depth;
        ovh_snapshot(t);
    }
}
