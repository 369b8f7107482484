/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/cuda/kernels.h"
#include "preload/cuda/writing.h"
#include "preload/writer/define.h"
#include <string.h>
#include <sys/mman.h>

/* Open addressing. Written under `writing`; read without a lock: an entry's key is stored last, a grown table replaces the pointer
 * when it is complete, and the old one is kept for its readers (all old ones together are as large as the last). */
struct entry {
    uintptr_t handle; /* 0: free */
    const char *name;
    uint32_t id; /* 0: not defined in the trace yet */
    uint32_t reserved;
};
struct table {
    size_t slots, used; /* slots: a power of two */
    struct entry entry[];
};
#define FIRST_SLOTS 4096u

static struct table *current;
static struct ovh_writing writing;

static size_t slot_of(const struct table *t, uintptr_t handle)
{
    return (size_t)((handle >> 3) * 0x9e3779b97f4a7c15ull >> 20) & (t->slots - 1);
}

/* The handle's entry, or the free one where it would go. */
static struct entry *entry_of(struct table *t, uintptr_t handle)
{
    for (size_t i = slot_of(t, handle);; i = (i + 1) & (t->slots - 1)) {
        uintptr_t there = __atomic_load_n(&t->entry[i].handle, __ATOMIC_ACQUIRE);
        if (there == handle || !there)
            return &t->entry[i];
    }
}

static void *get_memory(size_t bytes)
{
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? 0 : p;
}

static struct table *table_with_room(void)
{
    struct table *old = current;
    if (old && old->used < old->slots / 2)
        return old;
    size_t slots = old ? old->slots * 2 : FIRST_SLOTS;
    struct table *t = get_memory(sizeof *t + slots * sizeof *t->entry);
    if (!t)
        return old && old->used < old->slots - 1 ? old : 0;
    t->slots = slots;
    for (size_t i = 0; old && i < old->slots; i++) {
        if (!old->entry[i].handle)
            continue;
        *entry_of(t, old->entry[i].handle) = old->entry[i];
        t->used++;
    }
    __atomic_store_n(&current, t, __ATOMIC_RELEASE);
    return t;
}

static void put(const void *handle, const char *name, uint32_t id)
{
    struct table *t;
    if (!handle || !name || !ovh_write_begin(&writing))
        return;
    if ((t = table_with_room())) {
        struct entry *e = entry_of(t, (uintptr_t)handle);
        if (e->handle && e->name == name) { /* told again */
            ovh_write_end(&writing);
            return;
        }
        __atomic_store_n(&e->id, id, __ATOMIC_RELAXED);
        __atomic_store_n(&e->name, name, __ATOMIC_RELEASE);
        if (!e->handle)
            t->used++;
        __atomic_store_n(&e->handle, (uintptr_t)handle, __ATOMIC_RELEASE);
    }
    ovh_write_end(&writing);
}

static struct entry *find(const void *handle)
{
    struct table *t = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    struct entry *e = t && handle ? entry_of(t, (uintptr_t)handle) : 0;
    return e && __atomic_load_n(&e->handle, __ATOMIC_ACQUIRE) ? e : 0;
}

/* Copied texts: pieces of mapped memory, never given back. */
static const char *keep_text(const char *text)
{
    static char *next;
    static size_t left;
    size_t bytes = strlen(text) + 1, piece = bytes > 65536 ? bytes : 65536;
    char *kept = 0;
    if (!ovh_write_begin(&writing))
        return 0;
    if (left < bytes && (kept = get_memory(piece))) {
        next = kept;
        left = piece;
    }
    if (left >= bytes) {
        kept = memcpy(next, text, bytes);
        next += bytes;
        left -= bytes;
    } else {
        kept = 0;
    }
    ovh_write_end(&writing);
    return kept;
}

void ovh_kernel_registered(const void *handle, const char *name)
{
    put(handle, name, 0);
}

void ovh_kernel_named(const void *handle, const char *name)
{
    const struct entry *e = find(handle);
    if (!name || (e && !strcmp(e->name, name)))
        return;
    put(handle, keep_text(name), 0);
}

void ovh_kernel_same(const void *handle, const void *from)
{
    const struct entry *e = find(from), *known = find(handle);
    if (e && (!known || known->name != e->name))
        put(handle, e->name, __atomic_load_n(&e->id, __ATOMIC_RELAXED));
}

uint32_t ovh_kernel_id(const void *handle)
{
    struct entry *e = find(handle);
    if (!e)
        return 0;
    uint32_t id = __atomic_load_n(&e->id, __ATOMIC_RELAXED);
    if (ovh_unlikely(!id)) {
        id = ovh_define_kernel(__atomic_load_n(&e->name, __ATOMIC_ACQUIRE));
        __atomic_store_n(&e->id, id, __ATOMIC_RELAXED);
    }
    return id;
}
