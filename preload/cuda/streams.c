/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/streams.h"
#include "preload/cuda/writing.h"

#define MEMBERS 256u
#define PER_THREAD_STREAM 2u

/* A stream or event of a capture; `key` 0: free. Changed under `writing`, read without. */
struct member {
    uint64_t key, origin; /* origin: key of the stream that the capture began on */
    bool is_event;
};
static struct member members[MEMBERS];
static struct ovh_writing writing;
unsigned ovh_captures;

/* The per-thread stream has one handle for all threads: its key is the thread's. */
static uint64_t key_of(uint64_t stream)
{
    return stream == PER_THREAD_STREAM ? (uint64_t)(uintptr_t)&ovh_self : stream;
}

static struct member *find(uint64_t key, bool is_event)
{
    for (unsigned i = 0; key && i < MEMBERS; i++)
        if (__atomic_load_n(&members[i].key, __ATOMIC_ACQUIRE) == key && members[i].is_event == is_event)
            return &members[i];
    return 0;
}

static void add(uint64_t key, uint64_t origin, bool is_event)
{
    if (!key || !ovh_write_begin(&writing))
        return;
    struct member *m = find(key, is_event);
    for (unsigned i = 0; !m && i < MEMBERS; i++)
        if (!members[i].key)
            m = &members[i];
    if (m) {
        bool fresh = !m->key;
        m->origin = origin;
        m->is_event = is_event;
        __atomic_store_n(&m->key, key, __ATOMIC_RELEASE);
        if (fresh)
            __atomic_fetch_add(&ovh_captures, 1, __ATOMIC_RELAXED);
    }
    ovh_write_end(&writing);
}

void ovh_capture_begin(uint64_t stream)
{
    add(key_of(stream), key_of(stream), false);
}

/* Forgets the stream `key`, and all that joined the capture that began on it. */
static void forget(uint64_t key)
{
    if (!ovh_write_begin(&writing))
        return;
    for (unsigned i = 0; i < MEMBERS; i++) {
        if (!members[i].key || (members[i].origin != key && (members[i].key != key || members[i].is_event)))
            continue;
        __atomic_store_n(&members[i].key, 0, __ATOMIC_RELEASE);
        __atomic_fetch_sub(&ovh_captures, 1, __ATOMIC_RELAXED);
    }
    ovh_write_end(&writing);
}

void ovh_capture_end(uint64_t stream)
{
    forget(key_of(stream));
}

void ovh_capture_gone(uint64_t stream)
{
    forget(key_of(stream));
}

void ovh_capture_event(uint64_t event, uint64_t stream)
{
    const struct member *s = find(key_of(stream), false);
    struct member *e = find(event, true);
    if (s) {
        add(event, s->origin, true);
    } else if (e && ovh_write_begin(&writing)) { /* recorded anew, outside of the capture */
        if (e->key == event) {
            __atomic_store_n(&e->key, 0, __ATOMIC_RELEASE);
            __atomic_fetch_sub(&ovh_captures, 1, __ATOMIC_RELAXED);
        }
        ovh_write_end(&writing);
    }
}

void ovh_capture_join(uint64_t stream, uint64_t event)
{
    const struct member *e = find(event, true);
    if (e && !find(key_of(stream), false))
        add(key_of(stream), e->origin, false);
}

bool ovh_capture_has(uint64_t stream)
{
    return find(key_of(stream), false) != 0;
}
