/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/backward.h"

#include "analyzer/model/build.h"

#include <stdlib.h>
#include <string.h>

enum kind { PLAIN, RUN, APPLY, APPLY_BACKWARD, FORWARD, BACKWARD };
enum { STEPS_MOST = 1 << 22, STRETCHES_MOST = 1 << 20, CALLS_MOST = 1 << 22 };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* CPython 3.9 and 3.10 have plain names: `apply` is either, which the thread tells. */
static enum kind kind_of(const struct trace_def *step)
{
    const char *name = step->step.name, *last = last_part(name);
    if (step->step.class_ != OVH_CLASS_PYTHON)
        return PLAIN;
    if (ends_with(step->step.file, "torch/autograd/graph.py") && !strcmp(name, "_engine_run_backward"))
        return RUN;
    if (ends_with(step->step.file, "torch/autograd/function.py") && !strcmp(last, "apply"))
        return ends_with(name, "BackwardCFunction.apply") ? APPLY_BACKWARD : APPLY;
    if (!strcmp(last, "forward"))
        return FORWARD;
    return !strcmp(last, "backward") ? BACKWARD : PLAIN;
}

/* The number of "class, file" among those met; linear, since programs have few such functions. */
static uint32_t key_of(struct backward *b, struct trace_def *known, const struct trace_def *step)
{
    size_t class_ = (size_t)(last_part(step->step.name) - step->step.name);
    for (uint32_t i = 0; i < b->n_keys; i++) {
        const char *name = known[i].step.name;
        if ((size_t)(last_part(name) - name) == class_ && !strncmp(name, step->step.name, class_) &&
            !strcmp(known[i].step.file, step->step.file))
            return i;
    }
    known[b->n_keys] = *step;
    return b->n_keys++;
}

static uint32_t last_step(const struct trace *t, size_t *n)
{
    struct trace_defs defs;
    struct trace_def def;
    uint32_t last = 0;
    *n = 0;
    for (trace_defs_begin(&defs, t); trace_defs_next(&defs, &def);)
        if (def.type == OVH_D_STEP && def.id < STEPS_MOST) {
            last = def.id > last ? def.id : last;
            enum kind kind = kind_of(&def);
            *n += kind == FORWARD || kind == BACKWARD;
        }
    return last;
}

bool backward_begin(struct backward *b, const struct trace *t)
{
    struct trace_defs defs;
    struct trace_def def;
    size_t functions;
    *b = (struct backward){.n_steps = last_step(t, &functions) + 1};
    struct trace_def *known = calloc(functions + 1, sizeof *known);
    b->kinds = calloc(b->n_steps, sizeof *b->kinds);
    b->keys = calloc(b->n_steps, sizeof *b->keys);
    bool fine = known && b->kinds && b->keys;
    for (trace_defs_begin(&defs, t); fine && trace_defs_next(&defs, &def);) {
        if (def.type != OVH_D_STEP || def.id >= b->n_steps)
            continue;
        enum kind kind = kind_of(&def);
        b->kinds[def.id] = (uint8_t)kind;
        b->any |= kind == RUN;
        if (kind == FORWARD || kind == BACKWARD)
            b->keys[def.id] = key_of(b, known, &def);
    }
    free(known);
    return fine;
}

void backward_end(struct backward *b)
{
    free(b->kinds);
    free(b->keys);
    free(b->stretches);
    free(b->forwards);
    free(b->calls);
    *b = (struct backward){0};
}

static enum kind kind(const struct backward *b, uint32_t step)
{
    return step < b->n_steps ? (enum kind)b->kinds[step] : PLAIN;
}

static void open_apply(struct backward *b, uint32_t depth)
{
    if (b->n_applies < BACKWARD_APPLIES)
        b->applies[b->n_applies++] = (struct backward_apply){.depth = depth};
}

/* Is the frame of a function the first one in the innermost apply? */
static bool in_apply(struct backward *b, uint32_t depth)
{
    if (!b->n_applies || b->applies[b->n_applies - 1].inner)
        return false;
    b->applies[b->n_applies - 1].inner = depth + 1;
    return true;
}

static void begin_stretch(struct backward *b, struct modules *ms, const struct trace_event *ev, bool counts)
{
    modules_open(ms, ev->depth, MODULES_BACKWARD, counts);
    b->open = ev->depth + 1;
    if (b->n_stretches >= STRETCHES_MOST)
        b->full = true;
    else if (!build_grow((void **)&b->stretches, b->n_stretches, &b->stretches_room, sizeof *b->stretches))
        b->no_memory = true;
    else
        b->stretches[b->n_stretches++] = (struct backward_stretch){.start = ev->tick,
                                                                   .end = UINT64_MAX,
                                                                   .first = UINT64_MAX,
                                                                   .forwards = b->pending,
                                                                   .n_forwards = b->n_forwards - b->pending,
                                                                   .counts = counts};
    b->pending = b->n_forwards;
}

static void add_forward(struct backward *b, uint32_t step, uint32_t row)
{
    if (b->n_forwards >= CALLS_MOST)
        b->full = true;
    else if (!build_grow((void **)&b->forwards, b->n_forwards, &b->forwards_room, sizeof *b->forwards))
        b->no_memory = true;
    else
        b->forwards[b->n_forwards++] = (struct backward_forward){b->keys[step], row};
}

void backward_entered(struct backward *b, struct modules *ms, const struct trace_event *ev, bool counts)
{
    switch (kind(b, ev->id)) {
    case RUN:
        if (!b->open)
            begin_stretch(b, ms, ev, counts);
        return;
    case APPLY:
        open_apply(b, ev->depth);
        return;
    case FORWARD:
        if (b->any && !b->open && !b->full && in_apply(b, ev->depth))
            add_forward(b, ev->id, modules_innermost(ms));
        return;
    default:
        return;
    }
}

void backward_leaves(struct backward *b, const struct trace_event *ev)
{
    while (b->n_applies && b->applies[b->n_applies - 1].depth >= ev->depth)
        b->n_applies--;
    if (!b->open || ev->depth + 1 > b->open)
        return;
    b->open = 0;
    if (b->n_stretches && b->stretches[b->n_stretches - 1].end == UINT64_MAX)
        b->stretches[b->n_stretches - 1].end = ev->tick;
}

/* ---- autograd's threads ---- */

struct follow {
    struct backward *b;
    size_t at;      /* stretch */
    uint64_t since; /* tick of the X.backward that is open, */
    size_t since_stretch;
    bool takes_calls;
    bool had_calls;
};

/* The stretch that the tick is in; NULL: in none. Ticks of a thread do not go down. */
static struct backward_stretch *stretch_at(struct follow *f, uint64_t tick)
{
    struct backward *b = f->b;
    while (f->at < b->n_stretches && b->stretches[f->at].end < tick)
        f->at++;
    return f->at < b->n_stretches && b->stretches[f->at].start <= tick ? &b->stretches[f->at] : NULL;
}

static void follow_enter(struct follow *f, const struct trace_event *ev, bool inside)
{
    struct backward *b = f->b;
    enum kind k = kind(b, ev->id);
    if (k == APPLY_BACKWARD || k == APPLY)
        open_apply(b, ev->depth);
    else if (k == BACKWARD && inside && b->n_applies == 1 && in_apply(b, ev->depth)) {
        f->since = ev->tick;
        f->since_stretch = f->at;
        f->had_calls = true;
    }
}

static void follow_leave(struct follow *f, const struct trace_event *ev)
{
    struct backward *b = f->b;
    if (b->n_applies == 1 && b->applies[0].inner == ev->depth + 1 && f->takes_calls && f->since_stretch == f->at) {
        if (!build_grow((void **)&b->calls, b->n_calls, &b->calls_room, sizeof *b->calls))
            b->no_memory = true;
        else
            b->calls[b->n_calls++] = (struct backward_call){f->at, ev->tick - f->since, b->keys[ev->id]};
    }
    while (b->n_applies && b->applies[b->n_applies - 1].depth >= ev->depth)
        b->n_applies--;
}

/* takes_calls: no other thread had calls of X.backward. Returns whether this one had. */
static bool follow_thread(struct backward *b, const struct trace *t, const struct trace_thread *thread, bool takes_calls)
{
    struct follow f = {.b = b, .takes_calls = takes_calls};
    struct trace_walk w;
    struct trace_event ev;
    b->n_applies = 0;
    trace_walk_begin(&w, t, thread);
    while (trace_walk_next(&w, &ev) && !b->no_memory) {
        struct backward_stretch *s = stretch_at(&f, ev.tick);
        if (s) {
            s->first = ev.tick < s->first ? ev.tick : s->first;
            s->last = ev.tick > s->last ? ev.tick : s->last;
        }
        if (ev.kind == TRACE_ENTER)
            follow_enter(&f, &ev, s != NULL);
        else if (ev.kind == TRACE_LEAVE)
            follow_leave(&f, &ev);
    }
    b->no_memory |= w.no_memory;
    trace_walk_end(&w);
    return f.had_calls;
}

/* Are the calls those forwards in reverse, functions left out of which none is called? `called`: by key, all false. */
static bool mirrors(const struct backward_forward *f, size_t n_f, const struct backward_call *c, size_t n_c, bool *called)
{
    bool same = true;
    size_t at = n_f;
    for (size_t i = 0; i < n_c; i++)
        called[c[i].key] = true;
    for (size_t i = 0; i < n_c && same; i++) {
        while (at && !called[f[at - 1].key])
            at--;
        same = at && f[--at].key == c[i].key;
    }
    while (at && !called[f[at - 1].key])
        at--;
    for (size_t i = 0; i < n_c; i++)
        called[c[i].key] = false;
    return same && at == 0;
}

/* Gives the calls of a stretch to the modules whose forwards they mirror. */
static void divide(struct backward *b, struct modules *ms, const struct backward_stretch *s, const struct backward_call *c,
                   size_t n_c, bool *called)
{
    const struct backward_forward *f = b->forwards + s->forwards;
    size_t at = s->n_forwards;
    if (!mirrors(f, s->n_forwards, c, n_c, called)) {
        b->undivided++;
        return;
    }
    for (size_t i = 0; i < n_c; i++) {
        do
            at--;
        while (f[at].key != c[i].key);
        if (f[at].row < MODULES_FIRST)
            continue;
        struct module_row *row = &ms->rows[f[at].row], *type = &ms->types[row->of_type];
        row->backward += c[i].ticks;
        row->backward_calls++;
        type->backward += c[i].ticks;
        type->backward_calls++;
        b->divided += c[i].ticks;
    }
}

static bool is_engine(const struct trace_thread *t)
{
    return !strncmp(t->name, "pt_autograd", strlen("pt_autograd"));
}

/* Functions run by two threads have no order among each other: then none is taken. */
static void follow_threads(struct backward *b, const struct trace *t)
{
    size_t with_calls = 0;
    for (size_t i = 0; i < t->n_threads && !b->no_memory; i++)
        if (is_engine(&t->threads[i]))
            with_calls += follow_thread(b, t, &t->threads[i], with_calls == 0);
    if (with_calls > 1) {
        b->undivided = b->n_stretches;
        b->n_calls = 0;
    }
}

bool backward_join(struct backward *b, struct modules *ms, const struct trace *t)
{
    bool *called = calloc(b->n_keys + 1u, sizeof *called);
    if (!called || b->no_memory) {
        free(called);
        return false;
    }
    if (b->n_stretches)
        follow_threads(b, t);
    for (size_t i = 0, c = 0; i < b->n_stretches; i++) {
        const struct backward_stretch *s = &b->stretches[i];
        size_t first = c;
        while (c < b->n_calls && b->calls[c].stretch == i)
            c++;
        if (!s->counts || s->end == UINT64_MAX)
            continue;
        uint64_t wall = s->end - s->start, engine = s->first <= s->last ? s->last - s->first : wall;
        b->n++;
        b->engine += engine;
        b->hand_over += wall - engine;
        if (c > first)
            divide(b, ms, s, &b->calls[first], c - first, called);
    }
    free(called);
    return !b->no_memory;
}
