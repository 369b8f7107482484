/* SPDX-License-Identifier: Apache-2.0
 *
 * Where frames are not recorded: the whole stack of Python frames under a call becomes one number. The hash of all (code, name,
 * first line, instruction) finds it; only a new hash reads names. The name and the line are in the hash because a dead code
 * object's address is used again; they are what tells two of them apart.
 */
#define _GNU_SOURCE
#include "preload/python/codes.h"
#include "preload/python/interpreter.h"
#include "preload/python/lines.h"
#include "preload/python/walk.h"
#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include "preload/writer/record.h"

#include <errno.h>
#include <sys/mman.h>

enum { STACKS_BITS = 17, STACKS_MAX = 1 << (STACKS_BITS - 1), FRAMES_MAX = 512 };

struct stack {
    uint64_t hash; /* 0: free */
    uint32_t id;
};
static struct stack *stacks; /* at most half full */
static uint32_t used;
static struct ovh_lock lock;

bool python_stacks_start(void)
{
    if (!stacks) {
        void *p =
            mmap(0, sizeof *stacks << STACKS_BITS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stacks = p == MAP_FAILED ? 0 : p;
    }
    return stacks != 0;
}

void python_stacks_forked(void)
{
    lock = (struct ovh_lock){0};
}

static inline uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const char *top)
{
    uint64_t hash = 1;
    for (const char *frame = top; frame; frame = python_frame_back(frame)) {
        const char *code = python_frame_code(frame);
        hash = mix(hash, (uint64_t)(uintptr_t)code ^ python_frame_instruction(frame) << 1);
        hash = mix(hash, (uint64_t)(uintptr_t)python_pointer(code, ovh_layout.code_name) ^
                             (uint64_t)(uint32_t)python_int(code, ovh_layout.code_first_line) << 40);
    }
    return hash | 1;
}

static struct stack *slot_of(uint64_t hash)
{
    for (uint32_t i = (uint32_t)(hash >> (64 - STACKS_BITS));; i = (i + 1) & ((1u << STACKS_BITS) - 1)) {
        uint64_t there = __atomic_load_n(&stacks[i].hash, __ATOMIC_ACQUIRE);
        if (!there || there == hash)
            return &stacks[i];
    }
}

/* Outermost first; of a deeper stack the innermost FRAMES_MAX frames. Called with the lock (the array is static: a thread's stack
 * may be small). */
static uint32_t define(const char *top, bool attached)
{
    static uint32_t pairs[2 * FRAMES_MAX];
    uint32_t n = 0, at;
    for (const char *frame = top; frame && n < FRAMES_MAX; frame = python_frame_back(frame))
        n++;
    at = n;
    for (const char *frame = top; frame && at; frame = python_frame_back(frame)) {
        const char *code = python_frame_code(frame);
        at--;
        pairs[2 * at] = python_code_walked(code, attached);
        pairs[2 * at + 1] = python_code_offset(code, python_frame_instruction(frame));
        python_lines_tell(code);
    }
    return ovh_define_stack(n, pairs);
}

static uint32_t find_or_define(uint64_t hash, const char *top)
{
    bool attached = python_attached() != 0;
    uint32_t id, was_busy = ovh_lock_take(&lock);
    struct stack *slot = slot_of(hash);
    if (slot->hash == hash) {
        id = slot->id;
    } else if (used < STACKS_MAX) {
        id = slot->id = define(top, attached);
        used++;
        __atomic_store_n(&slot->hash, hash, __ATOMIC_RELEASE);
    } else {
        id = 0;
    }
    ovh_lock_drop(&lock, was_busy);
    if (!id)
        ovh_lost(OVH_LOSS_IDS, 1, "Python stacks beyond the first 65536 different ones");
    return id;
}

static void write(struct ovh_thread *t, uint32_t id, uint64_t hash)
{
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t); /* before: a STACK is in force in its own chunk only */
    uint32_t *w = ovh_put(t, 1);
    w[1] = id;
    ovh_put_done(w, OVH_R_STACK, 1, 0);
    t->stack_hash = hash;
}

void python_stack_write(struct ovh_thread *t, const char *top)
{
    uint64_t hash = top ? hash_of(top) : 0;
    if (hash == t->stack_hash)
        return;
    int error = errno;
    struct stack *slot = top ? slot_of(hash) : 0;
    uint32_t id = !slot ? 0 : __atomic_load_n(&slot->hash, __ATOMIC_ACQUIRE) == hash ? slot->id : find_or_define(hash, top);
    write(t, id, hash);
    errno = error;
}
