/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/stop.h"

#include "preload/writer/arm.h"
#include "preload/writer/chunk.h"
#include "preload/writer/file.h"
#include "preload/writer/keeper.h"
#include "preload/writer/ladder.h"
#include "preload/writer/lock.h"
#include "preload/writer/record.h"
#include "preload/writer/recording.h"
#include "preload/writer/thread_list.h"

#include <errno.h>

uint64_t ovh_stop_tick;

/* Its next event finds the chunk full. A thread that takes a chunk at this moment looks at ovh_stop_tick once more (chunk.c). */
static void no_room(struct ovh_thread *t, void *data)
{
    (void)data;
    __atomic_store_n(&t->limit, (uint32_t *)0, __ATOMIC_SEQ_CST);
}

void ovh_stop(uint64_t tick)
{
    uint64_t none = 0;
    int error = errno;
    if (!__atomic_compare_exchange_n(&ovh_stop_tick, &none, tick ? tick : 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return;
    uint32_t was_busy = ovh_busy_begin();
    ovh_window_end(tick);
    ovh_thread_each(no_room, 0);
    ovh_ladder_stop();
    if (ovh_self->chunk)
        ovh_stop_thread(ovh_self);
    ovh_keeper_stop();
    ovh_busy_end(was_busy);
    errno = error;
}

static const struct ovh_thread *asked; /* its last event is the last of all */

void ovh_stop_with_next_event(struct ovh_thread *t)
{
    __atomic_store_n(&asked, t, __ATOMIC_RELEASE);
    t->limit = 0;
}

void ovh_stop_if_due(const struct ovh_thread *t)
{
    if (t->chunk && (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) == t || (!ovh_keeper_is_here() && !ovh_recording_left_ms())))
        ovh_stop(t->last);
}

/* Where the clock passes the stop: the first word of that event, or `end`. */
static uint32_t *first_behind(const struct ovh_chunk_head *chunk, uint32_t *end)
{
    uint64_t tick = chunk->base_tick;
    for (uint32_t *w = (uint32_t *)(void *)((uint8_t *)(uintptr_t)chunk + sizeof *chunk); w < end;) {
        uint32_t kind = *w & 3, words = 1;
        if (kind == OVH_WORD_RECORD) {
            words += *w >> 2 & OVH_RECORD_WORDS_MAX;
            if ((*w >> 8 & 0xff) == OVH_R_TIME)
                tick = w[1] | (uint64_t)w[2] << 32;
        } else if (kind == OVH_WORD_ENTER_LONG) {
            tick += w[1];
            words = 2;
        } else {
            tick += kind == OVH_WORD_ENTER ? *w >> 16 : *w >> 3;
        }
        if (tick > ovh_stop_tick)
            return w;
        w += words;
    }
    return end;
}

void ovh_stop_thread(struct ovh_thread *t)
{
    struct ovh_chunk_head *chunk = t->chunk;
    if (chunk) {
        uint32_t *end = t->next, *keep = first_behind(chunk, end);
        for (uint32_t *w = end; w > keep;)
            *--w = 0; /* from behind: what is left reads as written so far at any moment */
        t->next = keep;
        ovh_window_write(t);
        uint32_t used = (uint32_t)((uint8_t *)t->next - (uint8_t *)(chunk + 1));
        __atomic_store_n(&t->chunk, (struct ovh_chunk_head *)0, __ATOMIC_RELEASE);
        ovh_keeper_retire(chunk, used);
    }
    ovh_chunk_scratch(t);
}

static void count_left(struct ovh_thread *t, void *left)
{
    *(uint32_t *)left += __atomic_load_n(&t->chunk, __ATOMIC_ACQUIRE) != 0;
}

uint32_t ovh_stop_left(void)
{
    uint32_t left = 0;
    ovh_thread_each(count_left, &left);
    return left;
}
