/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings between one occurrence of a launching call (the anchor) and the next are counted by hash; the commonest one explains
 * (times it occurs) x (launching calls in it). Every launching call is tried as the anchor, commonest first: a call that occurs
 * twice in a period gives shorter strings that explain less.
 */
#include "analyzer/model/period.h"

#include <stdlib.h>
#include <uthash.h>

#define ANCHORS 24 /* distinct launching calls that are tried */

struct entry {
    uint64_t key; /* symbol, or hash of a string */
    size_t times;
    size_t first, length, launches;
    UT_hash_handle hh;
};

static struct entry *count(struct entry **table, uint64_t key)
{
    struct entry *e;
    HASH_FIND(hh, *table, &key, sizeof key, e);
    if (!e && (e = calloc(1, sizeof *e))) {
        e->key = key;
        HASH_ADD(hh, *table, key, sizeof e->key, e);
    }
    if (e)
        e->times++;
    return e;
}

static void drop(struct entry **table)
{
    struct entry *e, *next;
    HASH_ITER(hh, *table, e, next)
    {
        HASH_DEL(*table, e);
        free(e);
    }
}

static int by_times(struct entry *a, struct entry *b)
{
    return a->times > b->times ? -1 : a->times < b->times;
}

struct best {
    size_t explains, first, length, times;
};

static void compare(struct best *best, const struct entry *e)
{
    size_t explains = e->times * e->launches;
    if (explains > best->explains ||
        (explains == best->explains && (e->length < best->length || (e->length == best->length && e->first < best->first))))
        *best = (struct best){explains, e->first, e->length, e->times};
}

/* All strings from one anchor to the next. */
static bool try_anchor(struct best *best, const uint32_t *symbols, size_t from, size_t to, uint32_t anchor, size_t least)
{
    struct entry *strings = NULL, *e;
    uint64_t hash = 0;
    size_t start = 0, launches = 0;
    bool open = false, fine = true;
    for (size_t i = from; i < to && fine; i++) {
        if (symbols[i] == anchor) {
            if (open) {
                fine = (e = count(&strings, hash)) != NULL;
                if (fine && e->times == 1)
                    e->first = start, e->length = i - start, e->launches = launches;
            }
            open = true, start = i, launches = 0, hash = 0xcbf29ce484222325u;
        } else if (symbols[i] == PERIOD_GAP) {
            open = false;
        }
        hash = (hash ^ symbols[i]) * 0x100000001b3u; /* FNV-1a over symbols */
        hash ^= hash >> 29;
        launches += symbols[i] >= PERIOD_LAUNCHES;
    }
    for (e = strings; e; e = e->hh.next)
        if (e->times >= least)
            compare(best, e);
    drop(&strings);
    return fine;
}

/* Turns the string back to where the loop begins. */
static void rotate(struct period *p, const uint32_t *symbols, size_t n)
{
    size_t at = 0, back = 0;
    while (at < n && !period_at(p, symbols, n, at))
        at++;
    if (at == n)
        return;
    while (back < at && back + 1 < p->length && symbols[at - 1 - back] != PERIOD_GAP &&
           symbols[at - 1 - back] == symbols[at + p->length - 1 - back])
        back++;
    p->first = at - back;
}

bool period_find(struct period *p, const uint32_t *symbols, size_t n, size_t least)
{
    *p = (struct period){0};
    size_t from = n > PERIOD_LOOK ? (n - PERIOD_LOOK) / 2 : 0, to = n > PERIOD_LOOK ? from + PERIOD_LOOK : n, launching = 0;
    struct entry *anchors = NULL, *e;
    struct best best = {0};
    bool fine = true;
    for (size_t i = from; i < to && fine; i++)
        if (symbols[i] >= PERIOD_LAUNCHES) {
            launching++;
            fine = count(&anchors, symbols[i]) != NULL;
        }
    HASH_SORT(anchors, by_times);
    int tried = 0;
    for (e = anchors; e && fine && tried < ANCHORS; e = e->hh.next, tried++)
        fine = try_anchor(&best, symbols, from, to, (uint32_t)e->key, least);
    drop(&anchors);
    if (!fine || !best.explains)
        return fine;
    *p = (struct period){best.first, best.length, best.times, (double)best.explains / (double)launching};
    rotate(p, symbols, n);
    return true;
}

bool period_at(const struct period *p, const uint32_t *symbols, size_t n, size_t at)
{
    if (!p->length || at + p->length > n)
        return false;
    for (size_t i = 0; i < p->length; i++)
        if (symbols[at + i] != symbols[p->first + i] || symbols[at + i] == PERIOD_GAP)
            return false;
    return true;
}
