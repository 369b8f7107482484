/* SPDX-License-Identifier: Apache-2.0
 *
 * Definition records (docs/trace-format.md, section 5): one after the other, and by type and id.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#define XXH_INLINE_ALL
#include "analyzer/trace/cursor.h"
#include "analyzer/trace/inside.h"

#include <xxhash.h>

#define HEAD sizeof(struct ovh_def_head)

/* What trace_find searches: where the definition of (type, id) begins in the file. */
struct trace_definition {
    uint32_t type, id;
    uint64_t offset;
};

static bool known_type(uint32_t type)
{
    return (type >= OVH_D_VALUE && type <= OVH_D_SETTINGS) || type == OVH_D_END;
}

static bool check_fits(const struct ovh_def_head *h, const uint8_t *body)
{
    XXH32_state_t state;
    XXH32_reset(&state, 0);
    XXH32_update(&state, h, offsetof(struct ovh_def_head, check));
    XXH32_update(&state, body, h->bytes - HEAD);
    return XXH32_digest(&state) == h->check;
}

static void parse_step(struct trace_cursor *c, struct trace_def *d)
{
    struct ovh_def_step step;
    trace_take_struct(c, &step, sizeof step);
    d->id = step.id;
    d->step.class_ = step.class_;
    d->step.kind = step.kind;
    d->step.first_line = step.first_line;
    d->step.object = step.object;
    d->step.name = trace_take_text(c);
    d->step.file = trace_take_text(c);
}

static void parse_object(struct trace_cursor *c, struct trace_def *d)
{
    struct ovh_def_object object;
    const uint8_t *start = trace_take(c, sizeof object);
    if (!start)
        return;
    memcpy(&object, start, sizeof object);
    c->bad |= object.build_id_bytes > 20;
    d->id = object.id;
    d->object.base = object.base;
    d->object.size = object.size;
    d->object.build_id = start + offsetof(struct ovh_def_object, build_id);
    d->object.build_id_bytes = object.build_id_bytes;
    d->object.path = trace_take_text(c);
}

static void parse_lines(struct trace_cursor *c, struct trace_def *d)
{
    struct ovh_def_lines lines;
    trace_take_struct(c, &lines, sizeof lines);
    d->id = lines.step;
    d->lines.format = lines.format;
    d->lines.first_line = lines.first_line;
    d->lines.bytes = lines.bytes;
    d->lines.table = trace_take(c, lines.bytes);
}

static void parse_coverage(struct trace_cursor *c, struct trace_def *d)
{
    struct ovh_def_coverage coverage;
    trace_take_struct(c, &coverage, sizeof coverage);
    d->coverage.object = coverage.object;
    d->coverage.reason = coverage.reason;
    d->coverage.seen = coverage.seen;
    d->coverage.unseen = coverage.unseen;
    d->coverage.text = trace_take_text(c);
}

static void parse_counter_set(struct trace_cursor *c, struct trace_def *d)
{
    d->id = trace_take_32(c);
    d->counter_set.n = trace_take_32(c);
    d->counter_set.names = (const char *)c->at;
    for (uint32_t i = 0; i < d->counter_set.n && !c->bad; i++)
        trace_take_text(c);
}

static void parse_loss(struct trace_cursor *c, struct trace_def *d)
{
    d->loss.why = trace_take_32(c);
    trace_take_32(c);
    d->loss.count = trace_take_64(c);
    d->loss.where = trace_take_text(c);
}

/* Types whose body begins with the id. */
static void parse_with_id(struct trace_cursor *c, struct trace_def *d)
{
    d->id = trace_take_32(c);
    switch (d->type) {
    case OVH_D_THREAD:
        d->thread.tid = trace_take_32(c);
        d->thread.tick = trace_take_64(c);
        d->thread.name = trace_take_text(c);
        break;
    case OVH_D_KERNEL:
        d->kernel.name = trace_take_text(c);
        break;
    case OVH_D_STACK:
        d->stack.n = trace_take_32(c);
        d->stack.pairs = (const uint32_t *)(const void *)trace_take_array(c, d->stack.n, 8);
        break;
    case OVH_D_MODULE:
        d->module.parent = trace_take_32(c);
        d->module.name = trace_take_text(c);
        d->module.type = trace_take_text(c);
        break;
    case OVH_D_RANGE:
        d->range.colour = trace_take_32(c);
        d->range.domain = trace_take_text(c);
        d->range.name = trace_take_text(c);
        break;
    case OVH_D_NAME:
        d->name.text = trace_take_text(c);
        break;
    case OVH_D_GPU_CLOCK:
        trace_take_32(c);
        d->gpu_clock.gpu_time = trace_take_64(c);
        d->gpu_clock.tick = trace_take_64(c);
        break;
    }
}

/* Fills the union. False: the body is too short for its type. Unknown types are fine. */
static bool parse_body(struct trace_def *d)
{
    TRACE_RETURN_IF(!known_type(d->type), true);
    struct trace_cursor c = trace_cursor(d->body, d->bytes);
    switch (d->type) {
    case OVH_D_VALUE:
    case OVH_D_SETTINGS:
        d->value.key = trace_take_text(&c);
        d->value.value = trace_take_text(&c);
        break;
    case OVH_D_ANCHOR:
        trace_take_struct(&c, &d->anchor, sizeof d->anchor);
        break;
    case OVH_D_STEP:
        parse_step(&c, d);
        break;
    case OVH_D_OBJECT:
        parse_object(&c, d);
        break;
    case OVH_D_LINES:
        parse_lines(&c, d);
        break;
    case OVH_D_CALIBRATION:
        trace_take_struct(&c, &d->calibration, sizeof d->calibration);
        break;
    case OVH_D_COVERAGE:
        parse_coverage(&c, d);
        break;
    case OVH_D_LOSS:
        parse_loss(&c, d);
        break;
    case OVH_D_NOTE:
        d->note.text = trace_take_text(&c);
        break;
    case OVH_D_COUNTER_SET:
        parse_counter_set(&c, d);
        break;
    case OVH_D_END:
        d->end.tick = trace_take_64(&c);
        d->end.reason = trace_take_32(&c);
        d->end.strides = trace_take_32(&c);
        break;
    default:
        parse_with_id(&c, d);
        break;
    }
    return !c.bad;
}

enum result { ITEM, END, DAMAGED, UNREADABLE, SHORT_BODY };

/* The record at byte *at of a payload that ends at `end`; moves *at behind it. `checked`: the check is known to fit. */
static enum result record_next(const struct trace *t, const uint8_t *payload, uint32_t *at, uint32_t end, bool checked,
                               struct trace_def *d)
{
    struct ovh_def_head h;
    TRACE_RETURN_IF(end - *at < sizeof h.bytes, END);
    memcpy(&h.bytes, payload + *at, sizeof h.bytes);
    TRACE_RETURN_IF(h.bytes == 0, END);
    TRACE_RETURN_IF(end - *at < HEAD || h.bytes < HEAD || h.bytes > end - *at, UNREADABLE);
    memcpy(&h, payload + *at, HEAD);
    const uint8_t *body = payload + *at + HEAD;
    *d = (struct trace_def){
        .type = h.type, .arg = h.arg, .body = body, .bytes = h.bytes - HEAD, .offset = (uint64_t)(body - t->bytes) - HEAD};
    uint32_t padded = h.bytes > UINT32_MAX - 7 ? end - *at : (h.bytes + 7) & ~7u;
    *at = padded > end - *at ? end : *at + padded;
    TRACE_RETURN_IF(!checked && !check_fits(&h, body), DAMAGED);
    return parse_body(d) ? ITEM : SHORT_BODY;
}

/* The payload of a definition chunk, from its number. */
static const uint8_t *payload_of(const struct trace *t, uint32_t chunk, uint32_t *n)
{
    uint64_t start = (uint64_t)chunk * t->head.chunk_bytes, skip = (chunk ? 0 : t->head.head_bytes) + sizeof(struct ovh_chunk_head);
    uint32_t used;
    memcpy(&used, t->bytes + start + skip - sizeof(struct ovh_chunk_head) + offsetof(struct ovh_chunk_head, used), sizeof used);
    uint64_t room = t->head.chunk_bytes - skip, there = t->size - start - skip;
    *n = (uint32_t)(there < room ? there : room);
    if (used && used < *n)
        *n = used;
    return t->bytes + start + skip;
}

void trace_defs_begin(struct trace_defs *d, const struct trace *t)
{
    *d = (struct trace_defs){.trace = t};
}

bool trace_defs_next(struct trace_defs *d, struct trace_def *def)
{
    while (d->chunk < d->trace->n_definition_chunks) {
        const uint8_t *payload = payload_of(d->trace, d->trace->definition_chunks[d->chunk], &d->end);
        enum result r;
        while ((r = record_next(d->trace, payload, &d->at, d->end, false, def)) != END && r != UNREADABLE)
            TRACE_RETURN_IF(r == ITEM, true);
        d->chunk++;
        d->at = 0;
    }
    return false;
}

const char *trace_setting(const struct trace *t, const char *variable)
{
    struct trace_defs defs;
    struct trace_def def;
    const char *value = "";
    for (trace_defs_begin(&defs, t); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_SETTINGS && !strcmp(def.value.key, variable))
            value = def.value.value;
    return value;
}

/* ---- at trace_open ---- */

static bool collect_one(struct trace *t, const struct trace_def *def)
{
    t->health.definitions++;
    t->health.unknown_definitions += !known_type(def->type);
    if (def->type == OVH_D_END) {
        t->health.ended = true;
        t->health.end_reason = def->end.reason;
        t->health.end_tick = def->end.tick;
    }
    TRACE_RETURN_IF(!known_type(def->type) || def->type > OVH_D_SETTINGS || def->id == 0, true);
    TRACE_RETURN_IF(!trace_grow((void **)&t->definitions, t->n_definitions, sizeof *t->definitions), false);
    t->definitions[t->n_definitions++] = (struct trace_definition){def->type, def->id, def->offset};
    return true;
}

static bool collect_chunk(struct trace *t, uint32_t chunk)
{
    uint32_t n, at = 0, before;
    const uint8_t *payload = payload_of(t, chunk, &n);
    const struct ovh_chunk_head *head = (const void *)(payload - sizeof *head);
    uint64_t damages = t->health.damages, offset = (uint64_t)(payload - t->bytes);
    for (;;) {
        struct trace_def def;
        before = at;
        enum result r = record_next(t, payload, &at, n, false, &def);
        if (r == END)
            break;
        if (r == UNREADABLE) {
            trace_note_damage(t, TRACE_DAMAGE_DEFINITIONS, offset + before, n - before, 0);
            return true;
        }
        if (r == DAMAGED)
            trace_note_damage(t, TRACE_DAMAGE_DEFINITION, offset + before, at - before, 0);
        if (r == SHORT_BODY)
            trace_note_damage(t, TRACE_DAMAGE_BODY, offset + before, at - before, 0);
        TRACE_RETURN_IF(r == ITEM && !collect_one(t, &def), false);
    }
    bool all = head->used == 0 || head->used > n; /* open, or cut */
    if (!all && before < n)
        trace_note_damage(t, TRACE_DAMAGE_DEFINITIONS, offset + before, n - before, 0);
    else if (!all && damages == t->health.damages && XXH32(payload, n, 0) != head->check)
        trace_note_damage(t, TRACE_DAMAGE_CHUNK, offset, 0, 0);
    return true;
}

static int by_type_and_id(const void *a, const void *b)
{
    const struct trace_definition *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return 0;
}

/* Sorts by type and id; of equal ones only the last in file order stays. `definitions` come in file order of the chunks'
 * sequence, which offsets need not follow: merge sort keeps it. */
static bool table_finish(struct trace *t)
{
    size_t n = t->n_definitions, kept = 0;
    struct trace_definition *d = t->definitions, *spare = n ? malloc(n * sizeof *d) : NULL;
    TRACE_RETURN_IF(n && !spare, false);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t a = i, mid = i + width < n ? i + width : n, b = mid, end = i + 2 * width < n ? i + 2 * width : n;
            for (size_t k = i; k < end; k++)
                spare[k] = a < mid && (b == end || by_type_and_id(&d[a], &d[b]) <= 0) ? d[a++] : d[b++];
        }
        memcpy(d, spare, n * sizeof *d);
    }
    free(spare);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || by_type_and_id(&d[i], &d[i + 1]) != 0)
            d[kept++] = d[i];
    t->n_definitions = kept;
    for (size_t i = 0, type = 0; type < sizeof t->definition_type / sizeof t->definition_type[0]; type++) {
        while (i < kept && d[i].type < type)
            i++;
        t->definition_type[type] = i;
    }
    return true;
}

static uint64_t sequence_of(const struct trace *t, uint32_t chunk)
{
    uint32_t n;
    uint64_t sequence;
    const uint8_t *payload = payload_of(t, chunk, &n);
    memcpy(&sequence, payload - sizeof(struct ovh_chunk_head) + offsetof(struct ovh_chunk_head, sequence), sizeof sequence);
    return sequence;
}

static int by_sequence(const void *a, const void *b, void *trace)
{
    uint64_t x = sequence_of(trace, *(const uint32_t *)a), y = sequence_of(trace, *(const uint32_t *)b);
    if (x != y)
        return x < y ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

bool trace_definitions_collect(struct trace *t)
{
    if (t->n_definition_chunks)
        qsort_r(t->definition_chunks, t->n_definition_chunks, sizeof *t->definition_chunks, by_sequence, t);
    uint64_t expected = 0;
    for (size_t i = 0; i < t->n_definition_chunks; i++) {
        uint64_t sequence = sequence_of(t, t->definition_chunks[i]);
        if (sequence > expected)
            t->health.missing_chunks += sequence - expected;
        expected = sequence + 1;
        TRACE_RETURN_IF(!collect_chunk(t, t->definition_chunks[i]), false);
    }
    return table_finish(t);
}

bool trace_find(const struct trace *t, enum ovh_def type, uint32_t id, struct trace_def *def)
{
    TRACE_RETURN_IF((uint32_t)type == 0 || type > OVH_D_SETTINGS || id == 0, false);
    size_t low = t->definition_type[type], high = t->definition_type[type + 1], guess = low + (id - 1);
    if (guess < high && t->definitions[guess].id == id)
        low = guess, high = guess + 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct trace_definition *d = &t->definitions[mid];
        if (d->id == id) {
            uint64_t rest = t->size - d->offset;
            uint32_t at = 0, end = rest < UINT32_MAX ? (uint32_t)rest : UINT32_MAX;
            return record_next(t, t->bytes + d->offset, &at, end, true, def) == ITEM;
        }
        if (d->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}
