/* SPDX-License-Identifier: Apache-2.0
 *
 * Which words belong to which thread, in which order, and what is missing between (docs/trace-format.md, section 2).
 */
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/inside.h"

#include <stdlib.h>

/* ---- a chunk -> parts ---- */

static bool part_begin(struct trace *t, const struct trace_chunk *c, const uint32_t *words, uint32_t thread, uint64_t tick,
                       bool handed)
{
    TRACE_RETURN_IF(!trace_grow((void **)&t->parts, t->n_parts, sizeof *t->parts), false);
    t->parts[t->n_parts++] = (struct trace_part){
        .words = words,
        .thread = thread,
        .base_tick = tick,
        .sequence = handed ? 0 : c->head.sequence,
        .open = !c->sealed,
        .handed = handed,
        .chunk = c->head.index,
        .generation = c->head.generation,
    };
    return true;
}

/* False: no memory. */
static bool count_item(struct trace *t, struct trace_part *part, const struct trace_item *item)
{
    if (item->tick > part->last_tick)
        part->last_tick = item->tick;
    if (item->kind != OVH_WORD_RECORD) {
        part->events++;
        return true;
    }
    t->health.records++;
    t->health.unknown_records += item->type > OVH_R_CALL;
    if (trace_record_short(item))
        trace_note_damage(t, TRACE_DAMAGE_BODY, (uint64_t)((const uint8_t *)item->word - t->bytes), 4u + 4u * item->words,
                          part->thread);
    else if (item->type == OVH_R_LOSS)
        part->lost += trace_pair(item->data);
    else if (item->type == OVH_R_WINDOW)
        return trace_window_note(t, item);
    return true;
}

/* ENTER and LEAVE words up to the next other one: nearly all there are. */
static void count_events(struct trace_words *w, struct trace_part *part)
{
    const uint32_t *at = w->at;
    uint64_t tick = w->tick;
    for (; at < w->end; at++) {
        uint32_t word = *at, kind = word & 3;
        if (kind != OVH_WORD_LEAVE && kind != OVH_WORD_ENTER)
            break;
        tick += kind == OVH_WORD_LEAVE ? word >> 3 : word >> 16;
    }
    part->events += (size_t)(at - w->at);
    part->last_tick = tick > part->last_tick && at > w->at ? tick : part->last_tick;
    w->at = at;
    w->tick = tick;
}

static bool is_hand_over(const struct trace_item *item)
{
    return item->kind == OVH_WORD_RECORD && item->type == OVH_R_THREAD && !trace_record_short(item) && item->data[0] != 0;
}

bool trace_index_chunk(struct trace *t, const struct trace_chunk *c)
{
    const uint32_t *payload = (const uint32_t *)(const void *)c->payload;
    struct trace_words w = trace_words(payload, c->n / 4, c->head.base_tick);
    struct trace_item item;
    enum trace_word_result r;
    TRACE_RETURN_IF(!part_begin(t, c, payload, c->head.thread, w.tick, false), false);
    struct trace_part *part = &t->parts[t->n_parts - 1];
    while (count_events(&w, part), (r = trace_words_next(&w, &item)) == TRACE_WORD_ITEM) {
        if (is_hand_over(&item)) {
            t->health.records++;
            part->n = (uint32_t)(item.word - part->words);
            TRACE_RETURN_IF(!part_begin(t, c, w.at, item.data[0], w.tick, true), false);
            part = &t->parts[t->n_parts - 1];
        } else {
            TRACE_RETURN_IF(!count_item(t, part, &item), false);
        }
    }
    part->n = (uint32_t)(w.at - part->words);
    /* Zero ends an open chunk; a file that was cut may end in the middle of a record, and the cut is noted already. */
    if ((r == TRACE_WORD_ZERO && c->sealed) || (r == TRACE_WORD_BAD && !c->cut))
        trace_note_damage(t, TRACE_DAMAGE_WORD, (uint64_t)((const uint8_t *)w.at - t->bytes), (uint64_t)(w.end - w.at) * 4,
                          part->thread);
    return true;
}

/* ---- parts -> threads ---- */

/* By thread; a part that was handed over before the thread's own; by sequence; of equal ones the higher generation first. */
static int part_order(const void *a, const void *b)
{
    const struct trace_part *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->handed != y->handed)
        return x->handed ? -1 : 1;
    if (x->handed && x->base_tick != y->base_tick)
        return x->base_tick < y->base_tick ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->generation != y->generation)
        return x->generation > y->generation ? -1 : 1;
    return x->words < y->words ? -1 : 1;
}

static bool same_place(const struct trace_part *x, const struct trace_part *y)
{
    return x->thread == y->thread && !x->handed && !y->handed && x->sequence == y->sequence;
}

static void duplicates_drop(struct trace *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n_parts; i++) {
        if (kept && same_place(&t->parts[kept - 1], &t->parts[i]))
            trace_note_damage(t, TRACE_DAMAGE_DUPLICATE, (uint64_t)t->parts[i].chunk * t->head.chunk_bytes, t->parts[i].n * 4ull,
                              t->parts[i].thread);
        else
            t->parts[kept++] = t->parts[i];
    }
    t->n_parts = kept;
}

/* Holes between the parts [first, first + thread->parts) of one thread. */
static void holes_find(struct trace *t, struct trace_thread *thread)
{
    struct trace_part *parts = &t->parts[thread->part];
    uint64_t expected = 0;
    for (size_t i = 0; i < thread->parts; i++) {
        struct trace_part *p = &parts[i];
        uint64_t gap = p->handed || p->sequence < expected ? 0 : p->sequence - expected;
        if (i == 1 && parts[0].handed && p->sequence > 0)
            gap = p->sequence - 1; /* the part that was handed over counts as number 0 */
        if (i == 0 && gap && t->head.flags & OVH_FILE_RING) {
            thread->recycled = gap;
        } else if (gap) {
            p->missing = gap > UINT32_MAX ? UINT32_MAX : (uint32_t)gap;
            thread->missing += p->missing;
        }
        if (!p->handed)
            expected = p->sequence + 1;
    }
    t->health.missing_chunks += thread->missing;
}

static void thread_sum(struct trace *t, struct trace_thread *thread)
{
    for (size_t i = 0; i < thread->parts; i++) {
        const struct trace_part *p = &t->parts[thread->part + i];
        thread->events += p->events;
        thread->lost += p->lost;
        if (p->last_tick > thread->last_tick)
            thread->last_tick = p->last_tick;
    }
    t->health.events += thread->events;
    t->health.lost += thread->lost;
}

static struct trace_thread *thread_of(const struct trace *t, uint32_t number)
{
    size_t low = 0, high = t->n_threads;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->threads[mid].number == number)
            return &t->threads[mid];
        if (t->threads[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static uint64_t loss_key(const struct trace_def *def)
{
    uint64_t h = 1469598103934665603u ^ def->loss.why;
    for (const char *p = def->loss.where; *p; p++)
        h = (h ^ (uint8_t)*p) * 1099511628211u;
    return h;
}

/* LOSS definitions count up: of those with equal reason and place only the last one counts. There are few. */
struct losses {
    uint64_t key, count;
};
static bool loss_add(struct losses **losses, size_t *n, const struct trace_def *def)
{
    uint64_t key = loss_key(def);
    for (size_t i = 0; i < *n; i++)
        if ((*losses)[i].key == key) {
            (*losses)[i].count = def->loss.count;
            return true;
        }
    if (*n >= 4096) /* nobody but a broken writer has so many: add the rest up */
        return (*losses)[0].count += def->loss.count, true;
    TRACE_RETURN_IF(!trace_grow((void **)losses, *n, sizeof **losses), false);
    (*losses)[(*n)++] = (struct losses){key, def->loss.count};
    return true;
}

static bool definitions_apply(struct trace *t)
{
    struct trace_defs d;
    struct trace_def def;
    struct losses *losses = NULL;
    size_t n = 0;
    bool memory = true;
    for (trace_defs_begin(&d, t); memory && trace_defs_next(&d, &def);) {
        struct trace_thread *thread = def.type == OVH_D_THREAD ? thread_of(t, def.id) : NULL;
        if (thread) {
            thread->tid = def.thread.tid;
            if (def.thread.name[0])
                thread->name = def.thread.name;
            *(def.arg == 1 ? &thread->end_tick : &thread->start_tick) = def.thread.tick;
        }
        if (def.type == OVH_D_LOSS)
            memory = loss_add(&losses, &n, &def);
    }
    for (size_t i = 0; i < n; i++)
        t->health.lost += losses[i].count;
    free(losses);
    return memory;
}

bool trace_index_finish(struct trace *t)
{
    if (t->n_parts)
        qsort(t->parts, t->n_parts, sizeof *t->parts, part_order);
    duplicates_drop(t);
    trace_windows_finish(t);
    for (size_t i = 0, end; i < t->n_parts; i = end) {
        for (end = i + 1; end < t->n_parts && t->parts[end].thread == t->parts[i].thread;)
            end++;
        TRACE_RETURN_IF(!trace_grow((void **)&t->threads, t->n_threads, sizeof *t->threads), false);
        struct trace_thread *thread = &t->threads[t->n_threads++];
        *thread = (struct trace_thread){
            .number = t->parts[i].thread, .name = "", .start_tick = t->parts[i].base_tick, .part = i, .parts = end - i};
        holes_find(t, thread);
        thread_sum(t, thread);
    }
    return definitions_apply(t);
}
