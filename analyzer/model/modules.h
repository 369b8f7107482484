/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers of the network: the units' time by nn.Module instance and by type, on the thread that the units are on. A MODULE record
 * says that the innermost span is a call of a module; the time until that span ends is the module's, its own (self) where no
 * other module's call is open inside. Self times of all modules, of backward (backward.h) and of what is outside both add up to
 * the units' wall time. How many probes lay in each row's time is counted beside it, so that their cost can be taken off
 * once it is known (correct.h).
 */
#ifndef MODULES_MODULES_H
#define MODULES_MODULES_H

#include "analyzer/model/estimate.h"
#include "analyzer/trace/walk.h"

enum { MODULES_OUTSIDE = 0, MODULES_BACKWARD = 1, MODULES_FIRST = 2 }; /* rows that are no modules; where those that are begin */

/* A stretch of time, and what of it is no work of the program's. */
struct module_time {
    uint64_t ticks, waiting;         /* waiting: of the ticks */
    int64_t halves[ESTIMATE_KINDS]; /* probes by kind: half of one lies in its own span, half in the caller's. A counted call's: both */
};

struct module_row {
    char *path;                  /* "Net.layers.0.0": the root's type, then the names of named_modules(); of a type row NULL */
    const char *name;            /* below the root, "" for a root; in `path` */
    const char *type;            /* "torch.nn.modules.linear.Linear"; a row of module_types: the same */
    uint32_t of_type;            /* index in `types` */
    bool unnamed;                /* called inside other modules and nobody's child */
    uint64_t calls;
    struct module_time self, total; /* within the units that count; total: with what it calls, recursion counted once */
    uint64_t corrected_self, corrected_total; /* ticks without the probes' cost; as measured where that is not known */
    uint64_t backward, backward_calls; /* of autograd functions written in Python that its forward called */
    struct module_time since;          /* while open: what the clock was */
    uint32_t open;
};

struct module_span {
    uint32_t depth, row;
};

struct modules {
    struct module_row *rows, *types; /* rows: MODULES_FIRST of them are no modules. Modules of one path and type are one row */
    size_t n, n_types;
    uint32_t *row_of; /* by module id */
    uint32_t n_ids;
    struct module_span *spans; /* open calls, outermost first */
    size_t n_spans, spans_room;
    struct module_time clock; /* of the units that count, up to now */
    bool any;       /* the trace has modules */
    bool no_memory;
};

/* False: no memory. */
bool modules_begin(struct modules *ms, const struct trace *t);
void modules_end(struct modules *ms);

/* Whose time it is: the innermost call's. */
static inline struct module_row *modules_now(const struct modules *ms)
{
    return &ms->rows[ms->n_spans ? ms->spans[ms->n_spans - 1].row : MODULES_OUTSIDE];
}

/* Ticks of a unit that counts are charged to whoever is innermost. */
static inline void modules_time(struct modules *ms, uint64_t ticks)
{
    if (ms->any) {
        ms->clock.ticks += ticks;
        modules_now(ms)->self.ticks += ticks;
    }
}

/* Of the ticks that were charged, so many were waiting. */
static inline void modules_waited(struct modules *ms, uint64_t ticks)
{
    if (ms->any) {
        ms->clock.waiting += ticks;
        modules_now(ms)->self.waiting += ticks;
    }
}

/* A probe of a unit that counts (2 halves), or half of one: it all lies here, nearly always. */
static inline void modules_probe(struct modules *ms, enum estimate_kind kind, uint32_t halves)
{
    if (ms->any && kind < ESTIMATE_KINDS) {
        ms->clock.halves[kind] += halves;
        modules_now(ms)->self.halves[kind] += halves;
    }
}

/* The span at `depth` is a call of that row. counts: of a unit that counts. */
void modules_open(struct modules *ms, uint32_t depth, uint32_t row, bool counts);
void modules_close(struct modules *ms);
/* Spans of this depth and deeper have ended. */
static inline void modules_leave(struct modules *ms, uint32_t depth)
{
    while (ms->n_spans && ms->spans[ms->n_spans - 1].depth >= depth)
        modules_close(ms);
}

/* The units are accounted for: the rows of the types get their self times. */
void modules_sum_up(struct modules *ms);

/* The row of a MODULE record. */
static inline uint32_t modules_row(const struct modules *ms, uint32_t id)
{
    return id < ms->n_ids ? ms->row_of[id] : MODULES_OUTSIDE;
}

/* The innermost module's row, or MODULES_OUTSIDE. */
static inline uint32_t modules_innermost(const struct modules *ms)
{
    return ms->n_spans && ms->spans[ms->n_spans - 1].row >= MODULES_FIRST ? ms->spans[ms->n_spans - 1].row : MODULES_OUTSIDE;
}

#endif
