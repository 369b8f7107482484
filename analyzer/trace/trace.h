/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a trace file: bytes -> records. docs/trace-format.md says what the bytes mean.
 *
 * Everything here is a function of (pointer, length): nothing prints, exits, opens a file or keeps global state; several traces may
 * be open at once, and one trace may be read by several threads (it is not changed after trace_open). The bytes stay the caller's
 * (mapped, 8-byte aligned, unchanged until trace_close); what is handed out points into them. All input is hostile: no byte
 * sequence makes a function here read outside [bytes, bytes + size).
 *
 * The usual way:
 *
 *     struct trace t; struct trace_error e;
 *     if (!trace_open(&t, bytes, size, &e)) -> one sentence from trace_error_text(&e, ...), exit 2
 *     struct trace_defs d; struct trace_def def;
 *     for (trace_defs_begin(&d, &t); trace_defs_next(&d, &def);) ...          every definition, in file order
 *     for (each t.threads[i]) {
 *         struct trace_walk w; struct trace_event ev;
 *         trace_walk_begin(&w, &t, &t.threads[i]);
 *         while (trace_walk_next(&w, &ev)) ...                               its spans and records, in order of time
 *         trace_walk_end(&w);
 *     }
 *     t.health says what was lost or damaged; trace_close(&t)
 *
 * walk.h holds trace_walk_next (inlined: it is the hot loop of the report); clock.h turns ticks into ns; lines.h turns code
 * offsets into lines.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "ovh/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- errors: why a file is not read at all ---- */

enum trace_status {
    TRACE_FINE = 0,
    TRACE_EMPTY,        /* no bytes */
    TRACE_NOT_A_TRACE,  /* other magic */
    TRACE_SHORT,        /* ends inside the file head */
    TRACE_NEWER,        /* a major version that this reader does not know: value = it */
    TRACE_HEAD_DAMAGED, /* the head's check does not fit, or a field in it is impossible */
    TRACE_NO_MEMORY
};
struct trace_error {
    enum trace_status status;
    uint32_t value;
};
/* "what: why; what to do", without the file's name in front. Returns `text`. */
const char *trace_error_text(const struct trace_error *e, char *text, size_t room);

/* ---- damage: what is not whole in a file that is read ---- */

enum trace_damage_kind {
    TRACE_DAMAGE_CUT = 1,     /* the file ends inside this chunk: what is there is read */
    TRACE_DAMAGE_CHUNK_HEAD,  /* not a chunk head, or one that its check contradicts: the chunk is left out */
    TRACE_DAMAGE_CHUNK,       /* a sealed chunk's check does not fit: the chunk's events are left out */
    TRACE_DAMAGE_CHUNK_KIND,  /* a kind of chunk that this reader does not know: left out */
    TRACE_DAMAGE_WORD,        /* event words that make no sense: the rest of the chunk is left out */
    TRACE_DAMAGE_DUPLICATE,   /* a second chunk with the same thread and sequence: left out */
    TRACE_DAMAGE_DEFINITION,  /* a definition's check does not fit: left out */
    TRACE_DAMAGE_DEFINITIONS, /* a definition's length makes no sense: the rest of that chunk is left out */
    TRACE_DAMAGE_BODY         /* a definition or event record whose body is too short for its type: left out */
};
struct trace_damage {
    uint64_t offset; /* in the file */
    uint64_t bytes;  /* how much is left out, 0 where that cannot be told */
    uint32_t kind;   /* enum trace_damage_kind */
    uint32_t thread; /* the events' owner, 0 where unknown or none */
};
const char *trace_damage_text(uint32_t kind); /* a phrase: "sealed chunk whose checksum does not fit" */

#define TRACE_DAMAGES_KEPT 256u /* of more than that only the number is kept */

/* Counts for the report's head, from one pass over all words at trace_open. A whole trace has zero in all of the second group. */
struct trace_health {
    uint64_t chunks, sealed, open, unused; /* strides with a chunk, of those sealed and open; never used strides */
    uint64_t definition_chunks;
    uint64_t events;  /* ENTER and LEAVE */
    uint64_t records; /* event records, unknown ones among them */
    uint64_t definitions;
    uint64_t unknown_records, unknown_definitions; /* of types that this reader does not know: a newer minor version; skipped */
    uint64_t recycled;                             /* ring: chunks that were overwritten, wanted that way */

    uint64_t damages;        /* places; the first TRACE_DAMAGES_KEPT of them are in trace.damages */
    uint64_t missing_chunks; /* holes in the threads' sequences */
    uint64_t lost;           /* events the recorder says it lost: LOSS records of all threads */
    bool ended;              /* an END definition is there: the process ended in good order. Not ending is no damage */
    uint32_t end_reason;
    uint64_t end_tick; /* 0 without END */
};

/* ---- an opened trace ---- */

/* A stretch of one thread's words inside one chunk. A chunk has one, or several where it changed hands. */
struct trace_part {
    const uint32_t *words; /* what belongs to the part, in the mapped bytes */
    uint32_t n;            /* words, without unwritten and damaged ones */
    uint32_t thread;       /* number */
    uint64_t base_tick;    /* the clock before the first word */
    uint64_t sequence;     /* of the chunk; 0 for a part that was handed over */
    uint32_t missing;      /* chunks (at least) that should lie between the part before and this one */
    uint16_t open, handed; /* flags: the chunk is not sealed; the part begins behind a THREAD record */
    uint32_t chunk;        /* the stride it lies in */
    uint64_t generation;   /* of the chunk */
    uint64_t events, lost; /* ENTER and LEAVE in it; what its LOSS records add up to */
    uint64_t last_tick;    /* the highest tick in it */
};

struct trace_thread {
    uint32_t number, tid; /* tid 0: its definition is missing */
    const char *name;     /* "" where none */
    uint64_t start_tick;  /* of its definition, else of its first part */
    uint64_t end_tick;    /* 0: nothing says that the thread ended */
    uint64_t last_tick;   /* of the last event that it left behind */
    size_t part, parts;   /* trace.parts[part .. part + parts): in order of time */
    uint64_t events;      /* ENTER and LEAVE */
    uint64_t missing;     /* chunks missing between, and for files that are no ring before, its parts */
    uint64_t recycled;    /* ring: chunks overwritten before its first part */
    uint64_t lost;        /* what its LOSS records add up to */
};

/* A stretch of time with one level of detail, for the whole process. */
struct trace_window {
    uint32_t number, level;
    uint64_t begin, end;     /* ticks; UINT64_MAX: it lasts to the end of the trace */
    uint32_t reason;         /* enum ovh_window_reason */
    uint32_t settle, period; /* launch calls; 0: nothing said */
};

struct trace_definition; /* see definitions.c */

struct trace {
    const uint8_t *bytes;
    size_t size;
    struct ovh_file_head head; /* a copy, checked */
    struct trace_health health;
    struct trace_thread *threads; /* by number */
    size_t n_threads;
    struct trace_part *parts; /* by thread, then time */
    size_t n_parts;
    struct trace_window *windows; /* by time; none in a file without WINDOW records */
    size_t n_windows;
    struct trace_damage *damages; /* by place found */
    size_t n_damages;
    uint32_t *definition_chunks; /* numbers, by sequence */
    size_t n_definition_chunks;
    struct trace_definition *definitions; /* what events refer to by id: trace_find */
    size_t n_definitions;
    size_t definition_type[OVH_D_SETTINGS + 2]; /* those of type k: definitions[definition_type[k] .. definition_type[k + 1]) */
};

/* Checks the head, looks at every chunk once (checksums, word structure) and makes the index. True: *t is to be trace_close'd,
 * t->health and t->damages say how whole it is. False: *e says why, nothing is left allocated. */
bool trace_open(struct trace *t, const void *bytes, size_t size, struct trace_error *e);
void trace_close(struct trace *t);

/* True when nothing is damaged, missing or lost. (A ring's recycled chunks and records of a newer minor version are no harm.) */
bool trace_whole(const struct trace *t);

/* ---- definitions ---- */

/* Texts point into the trace and end in a zero byte. `id` is what events refer to it by (0 where nothing does). */
struct trace_def {
    uint16_t type; /* enum ovh_def, or a number that this reader does not know (then only the head fields are set) */
    uint16_t arg;
    uint32_t id;
    uint64_t offset; /* of the record in the file */
    const uint8_t *body;
    uint32_t bytes; /* of the body */
    union {
        struct {
            const char *key, *value;
        } value; /* VALUE, SETTINGS */
        struct ovh_def_anchor anchor;
        struct {
            uint16_t class_, kind;
            uint32_t first_line, object;
            const char *name, *file;
        } step;
        struct {
            uint32_t tid;
            uint64_t tick;
            const char *name;
        } thread; /* id: its number; arg 1: ended at tick */
        struct {
            uint64_t base, size;
            const uint8_t *build_id;
            uint32_t build_id_bytes;
            const char *path;
        } object;
        struct {
            const char *name;
        } kernel;
        struct {
            uint32_t format, first_line, bytes;
            const uint8_t *table;
        } lines; /* id: the step's */
        struct {
            uint32_t n;
            const uint32_t *pairs;
        } stack; /* n x { step, code offset in 2-byte units }, outermost first */
        struct ovh_def_calibration calibration;
        struct {
            uint32_t object, reason;
            uint64_t seen, unseen;
            const char *text;
        } coverage;
        struct {
            uint32_t why;
            uint64_t count;
            const char *where;
        } loss;
        struct {
            uint32_t parent;
            const char *name, *type;
        } module;
        struct {
            uint32_t colour;
            const char *domain, *name;
        } range;
        struct {
            const char *text;
        } note, name;
        struct {
            uint64_t gpu_time, tick;
        } gpu_clock; /* id: the domain */
        struct {
            uint32_t n;
            const char *names;
        } counter_set; /* n texts, one behind the other */
        struct {
            uint64_t tick;
            uint32_t reason, strides;
        } end;
    };
};

struct trace_defs {
    const struct trace *trace;
    size_t chunk;     /* index into definition_chunks */
    uint32_t at, end; /* bytes in its payload */
};
/* All whole definitions, in the order of the definition chunks. Damaged ones were counted by trace_open and are stepped over. */
void trace_defs_begin(struct trace_defs *d, const struct trace *t);
bool trace_defs_next(struct trace_defs *d, struct trace_def *def);
/* A setting as it was in force ("OVH_DETAIL"), "" where the trace doesn't tell. The text is the trace's. */
const char *trace_setting(const struct trace *t, const char *variable);

/* The definition of this type (STEP, THREAD, OBJECT, KERNEL, LINES, STACK, MODULE, RANGE, NAME, COUNTER_SET) and id; the last one
 * where there are several. False: there is none. Constant time for steps with dense ids, else a binary search. */
bool trace_find(const struct trace *t, enum ovh_def type, uint32_t id, struct trace_def *def);

/* Names of the numbers in the format, for text output: "LAUNCH", "python", ... ; NULL for unknown ones. */
const char *trace_record_name(uint32_t type);
const char *trace_def_name(uint32_t type);
const char *trace_class_name(uint32_t class_);
const char *trace_kind_name(uint32_t kind);
const char *trace_loss_name(uint32_t why);
const char *trace_probe_name(uint32_t probe);

#endif
