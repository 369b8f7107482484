/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/python/codes.h"

#include "preload/python/interpreter.h"
#include "preload/python/native.h"
#include "preload/python/text.h"
#include "preload/python/unit_watch.h"
#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include "preload/writer/units.h"

#include <errno.h>
#include <sys/mman.h>

enum { FIRST_BITS = 12, NAME_BYTES = 1024, FILE_BYTES = 4096 };

struct slot {
    uintptr_t code;  /* 0: free; bit 0 set: no reference is held, compare the fingerprint */
    uint32_t id;     /* and the bits of modules.h */
    uint32_t record; /* index of the fingerprint */
};
struct table {
    uint32_t shift; /* 64 - log2(slots) */
    uint32_t mask;
    struct slot slots[];
};

/* What tells a code object from a later one at the same address. */
struct fingerprint {
    const char *name, *file;
    int32_t first_line;
    uint32_t lines_told;
    bool unit; /* a unit of work that is counted: its slot never says that a reference is held, so that each entry is looked up */
};

struct python_hot_code ovh_hot_codes[1 << PYTHON_CODES_HOT_BITS];
static struct table *codes;
static struct fingerprint *records;
static uint32_t used; /* fingerprints */
static uint32_t in_table, shared_step, shared_calls;
static struct ovh_lock lock;

static void *memory(size_t bytes)
{
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? 0 : p;
}

static struct table *new_table(uint32_t bits)
{
    struct table *table = memory(sizeof *table + ((size_t)sizeof *table->slots << bits));
    if (table) {
        table->shift = 64 - bits;
        table->mask = (1u << bits) - 1;
    }
    return table;
}

bool python_codes_start(void)
{
    if (!records)
        records = memory(sizeof *records * PYTHON_CODES_MAX);
    if (records && !codes)
        codes = new_table(FIRST_BITS);
    return codes != 0;
}

/* The old table stays mapped: a few pages for each life of an interpreter. Fingerprints go on behind the old ones. */
void python_codes_ended(void)
{
    struct table *table = new_table(FIRST_BITS);
    in_table = 0;
    memset(ovh_hot_codes, 0, sizeof ovh_hot_codes);
    if (table)
        __atomic_store_n(&codes, table, __ATOMIC_RELEASE);
    else
        memset(codes->slots, 0, sizeof *codes->slots * (codes->mask + 1));
}

void python_codes_forked(void)
{
    lock = (struct ovh_lock){0};
}

static uint32_t hash(const struct table *table, uintptr_t code)
{
    return (uint32_t)((code >> 4) * 0x9e3779b97f4a7c15ull >> table->shift);
}

/* The slot of `code`, with or without reference, or the free one where it would go. Tables are at most half full. */
static struct slot *slot_of(struct table *table, uintptr_t code)
{
    for (uint32_t i = hash(table, code);; i = (i + 1) & table->mask) {
        struct slot *slot = &table->slots[i];
        uintptr_t there = __atomic_load_n(&slot->code, __ATOMIC_ACQUIRE);
        if (!there || (there & ~(uintptr_t)1) == code)
            return slot;
    }
}

/* Readers may still be in the old table: it stays mapped (all old ones together are no larger than the new one), and what they
 * miss there they find here, under the lock. */
static bool grow(void)
{
    struct table *old = codes, *table = new_table(64 - old->shift + 1);
    if (!table)
        return false;
    for (uint32_t i = 0; i <= old->mask; i++)
        if (old->slots[i].code)
            *slot_of(table, old->slots[i].code & ~(uintptr_t)1) = old->slots[i];
    __atomic_store_n(&codes, table, __ATOMIC_RELEASE);
    return true;
}

static struct fingerprint fingerprint_of(const char *code)
{
    return (struct fingerprint){python_pointer(code, ovh_layout.code_name), python_pointer(code, ovh_layout.code_file),
                                python_int(code, ovh_layout.code_first_line), 0, false};
}

static bool same(const struct fingerprint *a, const struct fingerprint *b)
{
    return a->name == b->name && a->file == b->file && a->first_line == b->first_line;
}

/* Reads names into static memory (a thread's stack may be small): called with the lock. */
static uint32_t define(const char *code, bool *unit)
{
    static char name[NAME_BYTES], file[FILE_BYTES];
    python_text(python_pointer(code, ovh_layout.code_name), name, sizeof name);
    python_text(python_pointer(code, ovh_layout.code_file), file, sizeof file);
    *unit = ovh_unit_is_function(name);
    uint32_t id = ovh_define_step(OVH_CLASS_PYTHON, OVH_KIND_PLAIN, name, file, (uint32_t)python_int(code, ovh_layout.code_first_line));
    return id ? id | python_module_code(name, file) : 0;
}

/* A full table: all further functions are one step. The loss is told at powers of two, not at each call. */
static uint32_t share(void)
{
    uint32_t n = __atomic_add_fetch(&shared_calls, 1, __ATOMIC_RELAXED);
    if ((n & (n - 1)) == 0)
        ovh_lost(OVH_LOSS_IDS, n - n / 2, "calls of Python functions beyond the first 65536, recorded under one name");
    if (!__atomic_load_n(&shared_step, __ATOMIC_ACQUIRE)) {
        uint32_t was_busy = ovh_lock_take(&lock);
        if (!shared_step)
            shared_step = ovh_define_step(OVH_CLASS_PYTHON, OVH_KIND_PLAIN, "(any of too many Python functions)", "", 0);
        ovh_lock_drop(&lock, was_busy);
    }
    return shared_step;
}

/* Called with the lock: `code` is in no slot. */
static uint32_t add(const char *code, bool attached)
{
    if ((in_table + 1) * 2 > codes->mask && !grow())
        return 0;
    bool unit;
    uint32_t id = define(code, &unit);
    if (!id)
        return 0;
    struct slot *slot = slot_of(codes, (uintptr_t)code);
    records[used] = fingerprint_of(code);
    records[used].unit = unit;
    slot->record = used++;
    in_table++;
    slot->id = id;
    if (attached)
        ovh_py.incref((void *)(uintptr_t)code);
    __atomic_store_n(&slot->code, (uintptr_t)code | (!attached || unit), __ATOMIC_RELEASE);
    return id;
}

/* Called with the lock: the slot holds no reference; its code may have died and another one been born there. */
static uint32_t look_again(struct slot *slot, const char *code, bool attached)
{
    struct fingerprint now = fingerprint_of(code);
    if (!same(&now, &records[slot->record])) {
        __atomic_store_n(&slot->id, define(code, &now.unit), __ATOMIC_RELEASE);
        records[slot->record] = now;
    }
    if (attached && !records[slot->record].unit) {
        ovh_py.incref((void *)(uintptr_t)code);
        __atomic_store_n(&slot->code, (uintptr_t)code, __ATOMIC_RELEASE);
    }
    return slot->id;
}

static uint32_t keep_hot(const char *code, uint32_t id)
{
    *python_hot_code_place(code) = (struct python_hot_code){.code = (uintptr_t)code, .id = id};
    return id;
}

static uint32_t find(const char *code, bool attached, bool entering)
{
    struct slot *slot = slot_of(__atomic_load_n(&codes, __ATOMIC_ACQUIRE), (uintptr_t)code);
    if (__atomic_load_n(&slot->code, __ATOMIC_ACQUIRE) == (uintptr_t)code)
        return entering ? keep_hot(code, slot->id) : slot->id;
    int error = errno;
    uint32_t id = 0, was_busy = ovh_lock_take(&lock);
    slot = slot_of(codes, (uintptr_t)code);
    bool was_kept = slot->code == (uintptr_t)code, unit = false;
    if (was_kept)
        id = slot->id;
    else if (slot->code)
        id = look_again(slot, code, attached);
    else if (used < PYTHON_CODES_MAX)
        id = add(code, attached);
    if (id) {
        slot = slot_of(codes, (uintptr_t)code); /* the table may have grown */
        unit = records[slot->record].unit;
    }
    ovh_lock_drop(&lock, was_busy);
    if (attached && id && !was_kept)
        python_native_code(code, entering);
    if (ovh_unlikely(unit) && entering)
        python_unit_entered();
    if (!id)
        id = share();
    errno = error;
    return id;
}

uint32_t python_code_find(const char *code)
{
    return find(code, true, true);
}

uint32_t python_code_walked(const char *code, bool attached)
{
    return find(code, attached, false) & PYTHON_CODE_ID;
}

bool python_code_lines_due(const char *code, uint32_t *id)
{
    struct slot *slot = slot_of(__atomic_load_n(&codes, __ATOMIC_ACQUIRE), (uintptr_t)code);
    if (!slot->code || __atomic_load_n(&records[slot->record].lines_told, __ATOMIC_RELAXED))
        return false;
    *id = slot->id & PYTHON_CODE_ID;
    return !__atomic_exchange_n(&records[slot->record].lines_told, 1, __ATOMIC_RELAXED);
}
