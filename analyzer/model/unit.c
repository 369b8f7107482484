/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/unit.h"

#include "analyzer/model/build.h"
#include "analyzer/model/period.h"

#include <stdlib.h>

#define SHARE_LEAST 0.5 /* of the launching calls, those that a sequence must explain */
#define LEAST 2u        /* times it must occur */

void unit_list_free(struct unit_list *units)
{
    if (units)
        free(units->list);
    free(units);
}

static bool fits(const struct siblings *s, size_t at, const uint32_t *pattern, size_t length)
{
    if (at + length > s->n)
        return false;
    for (size_t i = 0; i < length; i++)
        if (s->list[at + i].symbol != pattern[i])
            return false;
    return true;
}

/* Would the next unit follow, if the window did not end in it? */
static bool fits_to_edge(const struct siblings *s, size_t at, const uint32_t *pattern, size_t length)
{
    for (size_t i = 0; i < length && at + i < s->n; i++) {
        const struct sibling *x = &s->list[at + i];
        if (!x->end)
            return i > 0 || x->node == s->list[at - length].node;
        if (x->symbol != pattern[i])
            return false;
    }
    return false;
}

bool unit_cut(struct unit_list *units, const struct siblings *s, const uint32_t *pattern, size_t length,
              const struct windows *windows)
{
    size_t room = 0;
    *units = (struct unit_list){.length = (uint32_t)length};
    for (size_t at = 0; at + length <= s->n;) {
        if (!fits(s, at, pattern, length)) {
            at++;
            continue;
        }
        if (windows && !windows_settled(windows, s->list[at].start)) {
            at += length;
            continue;
        }
        if (!build_grow((void **)&units->list, units->n, &room, sizeof *units->list))
            return false;
        struct unit_at *u = &units->list[units->n++];
        u->first = (uint32_t)at;
        u->start = s->list[at].start;
        u->joined = fits(s, at + length, pattern, length);
        u->period = u->joined || fits_to_edge(s, at + length, pattern, length);
        u->wall = (u->period ? s->list[at + length].start : s->list[at + length - 1].end) - u->start;
        at += length;
    }
    return true;
}

/* The launching call that occurs most often, where no sequence repeats. */
static uint32_t commonest(const struct build *b, const struct siblings *s)
{
    uint64_t most = 0;
    uint32_t symbol = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct cct_node *node = &b->m->tree.nodes[s->list[i].node];
        if ((s->list[i].symbol & PERIOD_LAUNCHES) && node->calls > most) {
            most = node->calls;
            symbol = s->list[i].symbol;
        }
    }
    return most >= LEAST ? symbol : PERIOD_GAP;
}

/* Where in the string the loop begins: at the call that the frame made first of all. Python's own calls tell that better than
 * hooked ones, which setting up makes as well. */
static size_t find_beginning(const struct build *b, const struct siblings *s, const uint32_t *pattern, size_t n)
{
    size_t best = 0, earliest = SIZE_MAX;
    bool python = false;
    for (size_t i = 0; i < n; i++) {
        bool mine = b->m->tree.nodes[pattern[i] & ~PERIOD_LAUNCHES].flags & CCT_PYTHON;
        size_t at = 0;
        if ((python && !mine) || (n > 1 && pattern[i] == pattern[(i + n - 1) % n]))
            continue;
        while (at < s->n && s->list[at].symbol != pattern[i])
            at++;
        if (at < earliest || (mine && !python)) {
            best = i;
            earliest = at;
            python = mine;
        }
    }
    return python ? best : 0;
}

/* The symbols of one unit, to be freed; NULL: no memory, or (with *length 0) nothing repeats. */
static uint32_t *find_pattern(struct build *b, const struct siblings *s, size_t *length)
{
    uint32_t *symbols = malloc((s->n + 1) * sizeof *symbols), *pattern = NULL;
    struct period p;
    *length = 1;
    if (!symbols)
        return NULL;
    for (size_t i = 0; i < s->n; i++)
        symbols[i] = s->list[i].symbol;
    if (period_find(&p, symbols, s->n, LEAST)) {
        uint32_t one = commonest(b, s);
        bool sequence = p.length && p.share >= SHARE_LEAST;
        *length = sequence ? p.length : one != PERIOD_GAP;
        pattern = *length ? malloc(*length * sizeof *pattern) : NULL;
        size_t first = pattern && sequence ? find_beginning(b, s, symbols + p.first, p.length) : 0;
        for (size_t i = 0; pattern && i < *length; i++)
            pattern[i] = sequence ? symbols[p.first + (first + i) % p.length] : one;
    }
    free(symbols);
    return pattern;
}

/* --unit: every call of that name is a unit, from whichever frame and context; the siblings are made equal. */
static uint32_t *named_pattern(struct build *b, struct siblings *s, size_t *length)
{
    uint32_t *pattern = malloc(sizeof *pattern);
    *length = 1;
    if (!pattern)
        return NULL;
    pattern[0] = UINT32_MAX;
    for (size_t i = 0; i < s->n; i++) {
        struct sibling *x = &s->list[i];
        if (x->symbol != PERIOD_GAP && (b->m->tree.nodes[x->node].flags & CCT_UNIT)) {
            pattern[0] = pattern[0] == UINT32_MAX ? x->symbol : pattern[0];
            x->symbol = pattern[0];
        }
    }
    return pattern;
}

/* --unit nvtx:NAME: siblings.c has listed ranges, and nothing else. */
static uint32_t *range_pattern(size_t *length)
{
    uint32_t *pattern = malloc(sizeof *pattern);
    *length = 1;
    if (pattern)
        *pattern = SIBLING_RANGE;
    return pattern;
}

static bool find_steady(struct build *b)
{
    struct model_unit *u = &b->m->unit;
    const struct unit_list *units = b->m->units;
    uint64_t *walls = malloc((units->n + 1) * sizeof *walls);
    if (!walls)
        return false;
    for (size_t i = 0; i < units->n; i++) {
        walls[i] = units->list[i].wall;
        u->joined += units->list[i].joined;
        u->runs += !units->list[i].joined;
    }
    bool fine = steady_find(&u->steady, walls, units->n, b->o->warmup);
    if (b->o->keep_units)
        u->walls = walls;
    else
        free(walls);
    return fine;
}

bool unit_find(struct build *b, struct siblings *s)
{
    struct model *m = b->m;
    size_t length = 0;
    uint32_t *pattern = m->unit.kind == MODEL_UNIT_NAMED   ? named_pattern(b, s, &length)
                        : m->unit.kind == MODEL_UNIT_RANGE ? range_pattern(&length)
                                                           : find_pattern(b, s, &length);
    if (!pattern) {
        m->unit.kind = MODEL_UNIT_NONE;
        m->unit.why = MODEL_NO_REPETITION;
        return length == 0;
    }
    m->units = calloc(1, sizeof *m->units);
    bool fine = m->units && unit_cut(m->units, s, pattern, length, &m->windows);
    if (fine && m->windows.n && m->units->n < LEAST) { /* too short to settle: better those than none */
        free(m->units->list);
        fine = unit_cut(m->units, s, pattern, length, NULL);
    }
    if (fine && m->units->n) {
        if (m->unit.kind == MODEL_UNIT_CALL && length > 1)
            m->unit.kind = MODEL_UNIT_LOOP;
        if (m->unit.kind == MODEL_UNIT_RANGE)
            names_range(m, b->o->unit);
        else
            names_unit(m, pattern, length);
        fine = find_steady(b);
    } else {
        m->unit.kind = MODEL_UNIT_NONE;
        m->unit.why = MODEL_NO_REPETITION;
    }
    free(pattern);
    return fine;
}
