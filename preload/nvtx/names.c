/* SPDX-License-Identifier: Apache-2.0
 *
 * One table, open addressing, at most half full, of pointers to names in memory of our own; read without a lock, written under one.
 * In front of it a small cache by address: programs push literals, or texts that are built at the same place again and again, so
 * that one comparison of the text is all.
 */
#define _GNU_SOURCE
#include "preload/nvtx/names.h"

#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include "preload/writer/units.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { SLOTS = 2 * NVTX_NAMES_MAX, CACHE = 256, DOMAINS_MAX = 256, PIECE = 64 << 10 };

const struct nvtx_domain nvtx_default_domain = {0, "", 0};

static struct {
    struct ovh_lock lock;
    const struct nvtx_name **slot; /* SLOTS, NULL until the first name */
    uint32_t used;
    const struct nvtx_name *rest; /* of all names beyond the last that is kept */
    uint32_t rest_calls;
    char *next; /* room for names */
    size_t left;
    struct nvtx_domain domain[DOMAINS_MAX];
    uint32_t domains;
} n;
static const struct nvtx_name *cache[CACHE];

static void *memory(size_t bytes)
{
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? 0 : p;
}

/* Under the lock. */
static void *keep(size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (n.left < bytes) {
        n.next = memory(PIECE);
        n.left = n.next ? PIECE : 0;
    }
    if (n.left < bytes)
        return 0;
    n.left -= bytes;
    n.next += bytes;
    return n.next - bytes;
}

static const struct nvtx_name *new_name(const struct nvtx_domain *domain, const char *text, uint32_t length, uint32_t hash,
                                        uint32_t colour)
{
    struct nvtx_name *name = keep(sizeof *name + length + 1);
    if (!name)
        return 0;
    *name = (struct nvtx_name){.domain = domain->number, .hash = hash, .length = length};
    memcpy(name->text, text, length);
    name->text[length] = 0;
    name->unit = ovh_unit_is_range(name->text);
    static uint32_t last;
    name->id = last < OVH_ID_MAX ? ++last : 0;
    ovh_define_range(name->id, colour, domain->name, name->text);
    return name;
}

static uint32_t hash_of(uint32_t domain, const char *text, uint32_t *length)
{
    uint32_t h = 2166136261u ^ domain, at = 0;
    for (; at < NVTX_NAME_BYTES - 1 && text[at]; at++)
        h = (h ^ (unsigned char)text[at]) * 16777619u;
    *length = at;
    return h ^ h >> 15;
}

static const struct nvtx_name **slot_of(uint32_t domain, const char *text, uint32_t length, uint32_t hash)
{
    for (uint32_t i = hash;; i++) {
        const struct nvtx_name **slot = &n.slot[i % SLOTS], *there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!there ||
            (there->hash == hash && there->domain == domain && there->length == length && !memcmp(there->text, text, length)))
            return slot;
    }
}

/* Under the lock. The loss is told at powers of two. */
static const struct nvtx_name *the_rest(void)
{
    n.rest_calls++;
    if ((n.rest_calls & (n.rest_calls - 1)) == 0)
        ovh_lost(OVH_LOSS_IDS, n.rest_calls - n.rest_calls / 2,
                 "names of NVTX ranges beyond the first 65536, recorded under one name");
    if (!n.rest)
        n.rest = new_name(&nvtx_default_domain, "(any of too many names)", 23, 0, 0);
    return n.rest;
}

static OVH_COLD const struct nvtx_name *add(const struct nvtx_domain *domain, const char *text, uint32_t length, uint32_t hash,
                                            uint32_t colour)
{
    int error = errno;
    uint32_t was_busy = ovh_lock_take(&n.lock);
    if (!n.slot)
        n.slot = memory(SLOTS * sizeof *n.slot);
    const struct nvtx_name **slot = n.slot ? slot_of(domain->number, text, length, hash) : 0, *name = slot ? *slot : 0;
    if (slot && !name && n.used == NVTX_NAMES_MAX) {
        name = the_rest();
    } else if (slot && !name && (name = new_name(domain, text, length, hash, colour))) {
        n.used++;
        __atomic_store_n(slot, name, __ATOMIC_RELEASE);
    }
    ovh_lock_drop(&n.lock, was_busy);
    errno = error;
    return name;
}

static const struct nvtx_name *find(const struct nvtx_domain *domain, const char *text, uint32_t colour)
{
    uint32_t length, hash = hash_of(domain->number, text, &length);
    const struct nvtx_name *name = __atomic_load_n(&n.slot, __ATOMIC_ACQUIRE) ? *slot_of(domain->number, text, length, hash) : 0;
    return name ? name : add(domain, text, length, hash, colour);
}

const struct nvtx_name *nvtx_name_of(const struct nvtx_domain *domain, const char *text, uint32_t colour)
{
    if (!text)
        text = "";
    uintptr_t address = (uintptr_t)text;
    const struct nvtx_name **place = &cache[(address ^ address >> 8 ^ domain->number) % CACHE],
                           *name = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (ovh_likely(name && name->domain == domain->number && !strncmp(name->text, text, NVTX_NAME_BYTES - 1)))
        return name;
    name = find(domain, text, colour);
    __atomic_store_n(place, name && name->hash ? name : 0, __ATOMIC_RELEASE);
    return name;
}

/* wchar_t is UTF-32 on Linux. What is no character becomes U+FFFD. */
static void to_utf8(char *to, size_t room, const wchar_t *text)
{
    size_t at = 0;
    for (; text && *text && at + 5 < room; text++) {
        uint32_t c = (uint32_t)*text;
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
            c = 0xfffd;
        uint32_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
        to[at++] = (char)(lead[more] | c >> 6 * more);
        while (more--)
            to[at++] = (char)(0x80 | (c >> 6 * more & 0x3f));
    }
    to[at] = 0;
}

const struct nvtx_name *nvtx_name_of_wide(const struct nvtx_domain *domain, const wchar_t *text, uint32_t colour)
{
    char narrow[NVTX_NAME_BYTES];
    to_utf8(narrow, sizeof narrow, text);
    return find(domain, narrow, colour);
}

const struct nvtx_domain *nvtx_domain_named(const char *name)
{
    const struct nvtx_domain *found = 0;
    int error = errno;
    if (!name || !*name)
        return &nvtx_default_domain;
    uint32_t was_busy = ovh_lock_take(&n.lock);
    for (uint32_t i = 0; i < n.domains && !found; i++)
        if (!strncmp(n.domain[i].name, name, NVTX_NAME_BYTES - 1))
            found = &n.domain[i];
    size_t length = strnlen(name, NVTX_NAME_BYTES - 1);
    char *text = !found && n.domains < DOMAINS_MAX ? keep(length + 1) : 0;
    if (text) {
        memcpy(text, name, length);
        text[length] = 0;
        struct nvtx_domain *made = &n.domain[n.domains++];
        *made = (struct nvtx_domain){n.domains, text, 0};
        const struct nvtx_name *pop = new_name(made, "", 0, 0, 0);
        made->pop = pop ? pop->id : 0;
        found = made;
    }
    ovh_lock_drop(&n.lock, was_busy);
    errno = error;
    return found ? found : &nvtx_default_domain;
}

const struct nvtx_domain *nvtx_domain_named_wide(const wchar_t *name)
{
    char narrow[NVTX_NAME_BYTES];
    to_utf8(narrow, sizeof narrow, name);
    return nvtx_domain_named(narrow);
}

void nvtx_names_forked(void)
{
    n.lock = (struct ovh_lock){0};
}
