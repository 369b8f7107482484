/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions: what each record says. Where it goes is in define.c.
 */
#include "preload/writer/define.h"

#include "ovh/hooks.h"
#include "preload/writer/clock.h"
#include "preload/writer/define_place.h"
#include "preload/writer/stop.h"
#include <string.h>

/* Longer texts are cut here (the longest mangled kernel names seen have some 10 000 bytes); a record must fit into any chunk. */
enum { TEXT_MAX = 10000 };

static struct ovh_part text(const char *s)
{
    return (struct ovh_part){.start = s ? s : "", .bytes = s ? strnlen(s, TEXT_MAX) : 0, .text = true};
}

static struct ovh_part raw(const void *start, size_t bytes)
{
    return (struct ovh_part){.start = start, .bytes = bytes};
}

/* What finds no room after recording has stopped is no loss: no event refers to it. */
static void place(enum ovh_def type, uint16_t arg, const struct ovh_part *parts, int n, const char *what)
{
    if (!ovh_define_place(type, arg, parts, n) && type != OVH_D_LOSS && type != OVH_D_NOTE && !ovh_stopped())
        ovh_lost(OVH_LOSS_NO_SPACE, 1, what);
}

/* The next id of a kind, 0 when they have run out. */
static uint32_t next_id(uint32_t *last)
{
    uint32_t id = __atomic_add_fetch(last, 1, __ATOMIC_RELAXED);
    if (id <= OVH_ID_MAX)
        return id;
    __atomic_store_n(last, OVH_ID_MAX, __ATOMIC_RELAXED);
    ovh_lost(OVH_LOSS_IDS, 1, "definitions");
    return 0;
}

static void step(const struct ovh_def_step *body, const char *name, const char *file)
{
    struct ovh_part parts[] = {raw(body, sizeof *body), text(name), text(file)};
    place(OVH_D_STEP, 0, parts, 3, "steps");
}

uint32_t ovh_define_step(enum ovh_class class_, enum ovh_kind kind, const char *name, const char *file, uint32_t first_line)
{
    static uint32_t last = OVH_STEP_FIRST_FREE - 1;
    struct ovh_def_step body = {.id = next_id(&last), .class_ = (uint16_t)class_, .kind = (uint16_t)kind, .first_line = first_line};
    if (body.id)
        step(&body, name, file);
    return body.id;
}

void ovh_define_hook_step(uint32_t id, enum ovh_class class_, enum ovh_kind kind, const char *name, const char *library)
{
    struct ovh_def_step body = {.id = id, .class_ = (uint16_t)class_, .kind = (uint16_t)kind};
    step(&body, name, library);
}

static uint32_t id_and_text(uint32_t *last, enum ovh_def type, const char *s, const char *what)
{
    uint32_t id = next_id(last);
    struct ovh_part parts[] = {raw(&id, sizeof id), text(s)};
    if (id)
        place(type, 0, parts, 2, what);
    return id;
}

uint32_t ovh_define_kernel(const char *name)
{
    static uint32_t last;
    return id_and_text(&last, OVH_D_KERNEL, name, "kernel names");
}

uint32_t ovh_define_name(const char *s)
{
    static uint32_t last;
    return id_and_text(&last, OVH_D_NAME, s, "names");
}

uint32_t ovh_define_stack(uint32_t n, const uint32_t *steps_and_offsets)
{
    static uint32_t last;
    if (n > OVH_DEPTH / 2) { /* the innermost frames are what the report is about */
        steps_and_offsets += 2 * (n - OVH_DEPTH / 2);
        n = OVH_DEPTH / 2;
        ovh_lost(OVH_LOSS_DEPTH, 1, "Python stacks");
    }
    uint32_t head[2] = {next_id(&last), n};
    struct ovh_part parts[] = {raw(head, sizeof head), raw(steps_and_offsets, 8 * (size_t)n)};
    if (head[0])
        place(OVH_D_STACK, 0, parts, 2, "stacks");
    return head[0];
}

void ovh_define_lines(uint32_t step_id, enum ovh_lines format, uint32_t first_line, const void *table, size_t bytes)
{
    struct ovh_def_lines body = {.step = step_id, .format = format, .first_line = first_line, .bytes = (uint32_t)bytes};
    struct ovh_part parts[] = {raw(&body, sizeof body), raw(table, bytes)};
    if (bytes <= UINT32_MAX / 2)
        place(OVH_D_LINES, 0, parts, 2, "line tables");
}

static void two_texts(enum ovh_def type, const char *a, const char *b)
{
    struct ovh_part parts[] = {text(a), text(b)};
    place(type, 0, parts, 2, "head");
}

void ovh_define_value(const char *key, const char *value)
{
    two_texts(OVH_D_VALUE, key, value);
}

void ovh_define_setting(const char *variable, const char *value)
{
    two_texts(OVH_D_SETTINGS, variable, value);
}

void ovh_define_range(uint32_t id, uint32_t colour, const char *domain, const char *name)
{
    uint32_t head[2] = {id, colour};
    struct ovh_part parts[] = {raw(head, sizeof head), text(domain), text(name)};
    place(OVH_D_RANGE, 0, parts, 3, "ranges");
}

void ovh_define_module(uint32_t id, uint32_t parent, const char *name, const char *type)
{
    uint32_t head[2] = {id, parent};
    struct ovh_part parts[] = {raw(head, sizeof head), text(name), text(type)};
    place(OVH_D_MODULE, 0, parts, 3, "modules");
}

void ovh_define_coverage(uint32_t object, uint32_t reason, uint64_t seen, uint64_t unseen, const char *s)
{
    struct ovh_def_coverage body = {.object = object, .reason = reason, .seen = seen, .unseen = unseen};
    struct ovh_part parts[] = {raw(&body, sizeof body), text(s)};
    place(OVH_D_COVERAGE, 0, parts, 2, "coverage");
}

void ovh_note(const char *s)
{
    struct ovh_part parts[] = {text(s)};
    place(OVH_D_NOTE, 0, parts, 1, "notes");
}

void ovh_define_thread(uint32_t number, uint32_t tid, bool ended, const char *name)
{
    struct ovh_def_thread body = {.number = number, .tid = tid, .tick = ovh_tick()};
    struct ovh_part parts[] = {raw(&body, sizeof body), text(name)};
    place(OVH_D_THREAD, ended, parts, 2, "threads");
}

void ovh_define_object(const struct ovh_def_object *object, const char *path)
{
    struct ovh_part parts[] = {raw(object, sizeof *object), text(path)};
    place(OVH_D_OBJECT, 0, parts, 2, "objects");
}

void ovh_define_anchor(const struct ovh_def_anchor *anchor)
{
    struct ovh_part parts[] = {raw(anchor, sizeof *anchor)};
    place(OVH_D_ANCHOR, 0, parts, 1, "anchors");
}

void ovh_define_calibration(const struct ovh_def_calibration *calibration)
{
    struct ovh_part parts[] = {raw(calibration, sizeof *calibration)};
    place(OVH_D_CALIBRATION, 0, parts, 1, "calibration");
}

void ovh_define_loss(enum ovh_loss why, uint64_t count, const char *where)
{
    struct {
        uint32_t why, zero;
        uint64_t count;
    } body = {why, 0, count};
    struct ovh_part parts[] = {raw(&body, sizeof body), text(where)};
    place(OVH_D_LOSS, 0, parts, 2, "");
}

void ovh_define_end(uint64_t tick, enum ovh_end reason, uint32_t strides)
{
    struct {
        uint64_t tick;
        uint32_t reason, strides;
    } body = {tick, reason, strides};
    struct ovh_part parts[] = {raw(&body, sizeof body)};
    place(OVH_D_END, 0, parts, 1, "end");
}
