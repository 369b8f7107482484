/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/python/module_places.h"

#include "preload/python/modules.h"
#include "preload/writer/define.h"

#include <stdio.h>
#include <sys/mman.h>

enum { BITS = 17, SLOTS = 1 << BITS };
_Static_assert(SLOTS == 2 * PYTHON_MODULES_MAX, "half full at most");
#define ROOTS_MOST 1000u /* of one type: later ones share a row */

struct place {
    uint64_t key; /* hash of parent, name and type; 0: free */
    uint32_t id;
    uint32_t roots; /* of the place of a type's first root: how many there are */
};
static struct place *places;
static uint32_t used, shared;

bool module_places_start(void)
{
    if (places)
        return true;
    void *p = mmap(0, sizeof *places * SLOTS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    places = p == MAP_FAILED ? 0 : p;
    return places != 0;
}

/* FNV-1a. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
    while (*text++);
    return hash;
}

static struct place *place_of(uint32_t parent, const char *name, const char *type)
{
    uint64_t key = hash_text(hash_text((0xcbf29ce484222325ull ^ parent) * 0x100000001b3ull, name), type) | 1;
    for (uint64_t i = key * 0x9e3779b97f4a7c15ull >> (64 - BITS);; i = (i + 1) % SLOTS) {
        struct place *p = &places[i];
        if (p->key == key)
            return p;
        if (p->key)
            continue;
        if (used < PYTHON_MODULES_MAX) {
            *p = (struct place){.key = key};
            used++;
        }
        return p;
    }
}

static uint32_t new_id(void)
{
    static uint32_t last;
    return ++last;
}

uint32_t module_place(uint32_t parent, const char *name, const char *type)
{
    struct place *p = place_of(parent, name, type);
    if (!p->key) { /* no more of them */
        if (!shared) {
            shared = new_id();
            ovh_define_module(shared, 0, "", "(any of too many modules)");
            ovh_lost(OVH_LOSS_IDS, 1, "nn.Modules beyond the first 65536, recorded under one name");
        }
        return shared;
    }
    if (!p->id) {
        p->id = new_id();
        ovh_define_module(p->id, parent, name, type);
    }
    return p->id;
}

uint32_t module_root(const char *type)
{
    char name[32] = "";
    struct place *first = place_of(0, "", type);
    if (first->key && first->roots < ROOTS_MOST)
        first->roots++;
    if (first->roots > 1)
        snprintf(name, sizeof name, "#%u", first->roots);
    return module_place(0, name, type);
}

uint32_t module_unnamed(const char *type)
{
    return module_place(0, "#", type);
}

void module_adopt(uint32_t id, uint32_t parent, const char *name, const char *type)
{
    struct place *p = place_of(parent, name, type);
    if (p->key && !p->id)
        p->id = id;
    ovh_define_module(id, parent, name, type);
}
