/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "analyzer/model/modules.h"

#include "analyzer/model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(e) ((void)(e), ms->no_memory = true)
#include <uthash.h>

enum { DEEPEST = 100, PATH_BYTES = 2048, IDS_MOST = 1 << 22 };

static const char *short_type(const char *type)
{
    const char *dot = strrchr(type, '.');
    return dot ? dot + 1 : type;
}

/* Names from the root down, by the definitions; false where one is missing or they go round in a circle. *name: where the part
 * below the root begins. */
static bool path_of(const struct trace *t, uint32_t id, char *path, size_t *name, bool *unnamed)
{
    struct trace_def chain[DEEPEST];
    size_t n = 0, used = 0;
    for (; n < DEEPEST && id && trace_find(t, OVH_D_MODULE, id, &chain[n]); n++)
        id = chain[n].module.parent;
    if (!n || id)
        return false;
    const struct trace_def *root = &chain[n - 1];
    *unnamed = !strcmp(root->module.name, "#");
    used = (size_t)snprintf(path, PATH_BYTES, "%s%s", short_type(root->module.type), *unnamed ? "" : root->module.name);
    *name = n > 1 ? used + 1 : used;
    for (size_t i = n - 1; i-- > 0 && used < PATH_BYTES;)
        used += (size_t)snprintf(path + used, PATH_BYTES - used, ".%s", chain[i].module.name);
    return used < PATH_BYTES;
}

static uint32_t type_row(struct modules *ms, const char *type, size_t *room)
{
    for (size_t i = 0; i < ms->n_types; i++)
        if (!strcmp(ms->types[i].type, type))
            return (uint32_t)i;
    if (!build_grow((void **)&ms->types, ms->n_types, room, sizeof *ms->types)) {
        ms->no_memory = true;
        return 0;
    }
    ms->types[ms->n_types] = (struct module_row){.type = type};
    return (uint32_t)ms->n_types++;
}

/* Rows by "path\ntype". */
struct known {
    char *key;
    uint32_t row;
    UT_hash_handle hh;
};

static uint32_t add_row(struct modules *ms, const char *key, size_t path, size_t name, const char *type, bool unnamed,
                        size_t *rooms)
{
    if (!build_grow((void **)&ms->rows, ms->n, &rooms[0], sizeof *ms->rows)) {
        ms->no_memory = true;
        return MODULES_OUTSIDE;
    }
    struct module_row *row = &ms->rows[ms->n];
    *row =
        (struct module_row){.path = strndup(key, path), .type = type, .unnamed = unnamed, .of_type = type_row(ms, type, &rooms[1])};
    if (!row->path) {
        ms->no_memory = true;
        return MODULES_OUTSIDE;
    }
    row->name = row->path + (name < path ? name : path);
    return (uint32_t)ms->n++;
}

/* The row of the module `id`: that of an earlier id where path and type are the same. */
static uint32_t row_for(struct modules *ms, const struct trace *t, uint32_t id, struct known **known, size_t *rooms)
{
    char key[PATH_BYTES + 1024];
    struct trace_def def;
    struct known *k;
    size_t name;
    bool unnamed;
    if (!trace_find(t, OVH_D_MODULE, id, &def) || !path_of(t, id, key, &name, &unnamed))
        return MODULES_OUTSIDE;
    size_t path = strlen(key);
    snprintf(key + path, sizeof key - path, "\n%s%s", def.module.type, unnamed ? "#" : "");
    HASH_FIND_STR(*known, key, k);
    if (k)
        return k->row;
    k = calloc(1, sizeof *k);
    char *copy = strdup(key);
    if (!k || !copy) {
        free(k);
        free(copy);
        ms->no_memory = true;
        return MODULES_OUTSIDE;
    }
    *k = (struct known){.key = copy, .row = add_row(ms, key, path, name, def.module.type, unnamed, rooms)};
    HASH_ADD_KEYPTR(hh, *known, k->key, strlen(k->key), k);
    return k->row;
}

static uint32_t last_id(const struct trace *t)
{
    struct trace_defs defs;
    struct trace_def def;
    uint32_t last = 0;
    for (trace_defs_begin(&defs, t); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_MODULE && def.id < IDS_MOST && def.id > last)
            last = def.id;
    return last;
}

/* Ids as a tree: who is whose child. Parents that are not defined, and circles, are not reached from 0. */
struct family {
    uint32_t *parent, *first, *sibling;
};

static bool family_make(struct family *f, const struct trace *t, uint32_t n)
{
    struct trace_defs defs;
    struct trace_def def;
    f->parent = calloc((size_t)n * 3, sizeof *f->parent);
    if (!f->parent)
        return false;
    f->first = f->parent + n;
    f->sibling = f->first + n;
    for (trace_defs_begin(&defs, t); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_MODULE && def.id && def.id < n)
            f->parent[def.id] = def.module.parent < n ? def.module.parent : def.id;
    for (uint32_t id = n; id-- > 1;) { /* from the back: children come out in the order of their ids */
        f->sibling[id] = f->first[f->parent[id]];
        f->first[f->parent[id]] = id;
    }
    return true;
}

/* The module behind `id` where each stands before its children; 0: it was the last. */
static uint32_t family_next(const struct family *f, uint32_t id)
{
    if (f->first[id])
        return f->first[id];
    while (id && !f->sibling[id])
        id = f->parent[id];
    return id ? f->sibling[id] : 0;
}

bool modules_begin(struct modules *ms, const struct trace *t)
{
    size_t rooms[2] = {0, 0};
    struct known *known = NULL, *k, *next;
    struct family family;
    *ms = (struct modules){.n_ids = last_id(t) + 1};
    ms->row_of = calloc(ms->n_ids, sizeof *ms->row_of);
    if (!ms->row_of || !build_grow((void **)&ms->rows, 0, &rooms[0], sizeof *ms->rows))
        return false;
    ms->any = ms->n_ids > 1;
    for (; ms->n < MODULES_FIRST; ms->n++)
        ms->rows[ms->n] = (struct module_row){.name = "", .type = ""};
    if (!family_make(&family, t, ms->n_ids))
        return false;
    for (uint32_t id = family_next(&family, 0); id && !ms->no_memory; id = family_next(&family, id))
        ms->row_of[id] = row_for(ms, t, id, &known, rooms);
    free(family.parent);
    HASH_ITER(hh, known, k, next)
    {
        HASH_DEL(known, k);
        free(k->key);
        free(k);
    }
    return !ms->no_memory;
}

void modules_end(struct modules *ms)
{
    for (size_t i = MODULES_FIRST; i < ms->n; i++)
        free(ms->rows[i].path);
    free(ms->rows);
    free(ms->types);
    free(ms->row_of);
    free(ms->spans);
    *ms = (struct modules){0};
}

static void add(struct module_time *to, const struct module_time *from, int64_t times)
{
    to->ticks += (uint64_t)times * from->ticks;
    to->waiting += (uint64_t)times * from->waiting;
    for (int k = 0; k < ESTIMATE_KINDS; k++)
        to->halves[k] += times * from->halves[k];
}

/* inner: half of the probe of the call's own frame, which was counted before the row was known. */
static void begins(struct module_row *row, const struct modules *ms, const struct module_time *inner, bool counts)
{
    row->calls += counts;
    if (row->open++)
        return;
    row->since = ms->clock;
    add(&row->since, inner, -1);
}

static void ends(struct module_row *row, const struct modules *ms)
{
    if (--row->open)
        return;
    add(&row->total, &ms->clock, 1);
    add(&row->total, &row->since, -1);
}

void modules_open(struct modules *ms, uint32_t depth, uint32_t row, bool counts)
{
    if (!build_grow((void **)&ms->spans, ms->n_spans, &ms->spans_room, sizeof *ms->spans)) {
        ms->no_memory = true;
        return;
    }
    struct module_time inner = {.halves = {[ESTIMATE_FRAME] = counts}};
    add(&modules_now(ms)->self, &inner, -1);
    ms->spans[ms->n_spans++] = (struct module_span){depth, row};
    add(&ms->rows[row].self, &inner, 1);
    begins(&ms->rows[row], ms, &inner, counts);
    if (row >= MODULES_FIRST)
        begins(&ms->types[ms->rows[row].of_type], ms, &inner, counts);
}

void modules_close(struct modules *ms)
{
    uint32_t row = ms->spans[--ms->n_spans].row;
    ends(&ms->rows[row], ms);
    if (row >= MODULES_FIRST)
        ends(&ms->types[ms->rows[row].of_type], ms);
}

void modules_sum_up(struct modules *ms)
{
    for (size_t i = 0; i < ms->n; i++) {
        struct module_row *row = &ms->rows[i];
        row->corrected_self = row->self.ticks;
        row->corrected_total = row->total.ticks;
        if (i >= MODULES_FIRST)
            add(&ms->types[row->of_type].self, &row->self, 1);
    }
    for (size_t i = 0; i < ms->n_types; i++) {
        ms->types[i].corrected_self = ms->types[i].self.ticks;
        ms->types[i].corrected_total = ms->types[i].total.ticks;
    }
}
