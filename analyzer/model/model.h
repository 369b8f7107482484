/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of one trace: what the forms of the report (out/) print. Built once by model_build, then only read.
 *
 *     records -> calling-context tree per thread role      run.c, cct.c
 *             -> the loop and its unit of work             loop.c, siblings.c, period.c, unit.c
 *             -> warm-up, pauses, order statistics         steady.c
 *             -> times and counts of the units that count  account.c, steps.c, blocks.c
 *             -> time of calls counted and not timed          counted.c
 *             -> the profiler's own cost, taken off            launches.c, estimate.c, correct.c
 *             -> whose time it was                         verdict.c, blocked.c, elapsed.c
 *
 * All times are ticks of the trace; `ns` converts a length. Sums over units are exact integers; dividing is left to the printing.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "analyzer/model/blocks.h"
#include "analyzer/model/backward.h"
#include "analyzer/model/cct.h"
#include "analyzer/model/correct.h"
#include "analyzer/model/counted.h"
#include "analyzer/model/modules.h"
#include "analyzer/model/native.h"
#include "analyzer/model/ranges.h"
#include "analyzer/model/steady.h"
#include "analyzer/model/tally.h"
#include "analyzer/model/windows.h"
#include "analyzer/trace/trace.h"

struct model_options {
    const char
        *unit;       /* NULL: find it; else a qualified name, or its last parts ("Linear.forward", "forward", "cudaLaunchKernel") */
    int64_t warmup;  /* STEADY_FIND, or how many units to leave out */
    bool keep_units; /* keep every unit's duration */
    /* Long work: called now and then with the share done (0 to 1). May be NULL. */
    void (*progress)(void *arg, double share);
    void *progress_arg;
};

/* Self time and calls of one class. */
struct model_class {
    uint64_t ticks, calls;
    uint64_t counted, estimated; /* of the calls: not timed; of the ticks: estimated for them */
    uint64_t corrected; /* of a unit's: ticks without what the probes cost (correct.h); 0 where that is not known */
};

/* A matrix product's arguments. */
struct model_gemm {
    uint64_t m, n, k, batch;
    uint32_t types; /* as in the record: A, B, C, compute type; a byte each */
};

/* Waiting and what is not the op's work: shown apart from the host's own time. */
static inline bool model_class_apart(uint32_t class_)
{
    return class_ == OVH_CLASS_WAIT || class_ == OVH_CLASS_OFF_CPU || class_ == OVH_CLASS_GC;
}

/* Things that happened, in a whole run or in the units that count. */
struct model_counts {
    uint64_t launches; /* outermost launch calls, without captured ones: a runtime call and its driver call are one */
    uint64_t runtime_launches, driver_launches; /* launch calls of each level, nested or not, captured or not */
    uint64_t blind_launches; /* outermost runtime launch calls with no driver launch inside: the hook below did not see them */
    uint64_t captured;       /* launches while the stream was capturing: graph nodes */
    uint64_t graphs;         /* of the launches: whole graphs */
    uint64_t host_functions; /* of the launches: host functions */
    uint64_t blocked;        /* launches that waited for room in the queue, see struct model_blocked */
    uint64_t heuristics, gemms, syncs, blocking_copies, allocations, allocated_bytes;
    uint64_t copies, copied_bytes[5]; /* blocking ones too; bytes by enum ovh_copy */
    uint64_t failed;                  /* hooked calls that returned an error status */
    double flops;                     /* of the outermost matrix products: 2 m n k batch */
    struct model_gemm largest;        /* of them, the one with the most */
};

/* A row of the costliest steps: one function, all contexts within the unit together. */
struct model_step {
    uint32_t step;           /* id; 0: time in the loop's own frame, between its calls */
    const char *name, *file; /* file or library, "" where none */
    uint32_t line;           /* Python: first line */
    uint32_t class_;         /* enum ovh_class */
    uint64_t self, calls;
    uint64_t counted, estimated; /* of the calls: not timed; of self: estimated for them */
    uint64_t corrected;          /* self without what the probes cost (correct.h); 0 where that is not known */
    const char *caller_file; /* hooked call from Python: where it was called from (the commonest place); NULL unknown */
    uint32_t caller_line;
    uint32_t node;   /* the first of its nodes in the tree: rows in order of it stand in the order of the call */
    uint32_t blocks; /* of m->blocks.steps: BLOCKS_MOST values from blocks * BLOCKS_MOST on */
};

/* What one group of threads did in the whole run. */
struct model_role {
    const char *name;
    uint32_t root;     /* in the tree */
    uint32_t low_root; /* what was recorded in windows below the highest level: calls, no times (windows.h) */
    uint32_t threads;  /* how many; those with the same name count as one role, the first thread of a process apart */
    uint32_t first;    /* number of the first of them */
    uint64_t recorded; /* ticks, in windows of the highest level */
    uint64_t python;   /* Python frames entered */
    uint64_t launches;
    struct model_class classes[OVH_CLASSES]; /* OTHER: outside every recorded span, too */
};

/* What is not whole. */
struct model_quality {
    uint64_t lost, damages, missing_chunks, unknown_records;
    uint64_t unresolved;   /* calls of steps without a definition */
    uint64_t incomplete;   /* hooked calls open at the end, and Python frames if the process did not end in good order */
    uint64_t open_frames;  /* Python frames open at the end of a process that ended in good order (threads left running), and
                              what was open when recording was stopped */
    uint64_t cut, unwound; /* spans closed by a hole or stop of the recording; spans left without a leave (exceptions): no loss */
    uint64_t orphans, stepped_back;
    bool ended;
    bool degraded; /* exit status 4 */
};

enum model_unit_kind {
    MODEL_UNIT_NONE = 0,
    MODEL_UNIT_CALL, /* one repeated call */
    MODEL_UNIT_LOOP, /* a repeated sequence of calls of one frame */
    MODEL_UNIT_NAMED, /* what --unit said */
    MODEL_UNIT_RANGE  /* a range that the program set: --unit nvtx:NAME */
};
enum model_no_unit { MODEL_NO_EVENTS = 1, MODEL_NO_LAUNCHES, MODEL_NO_REPETITION, MODEL_NO_SUCH_NAME };

#define MODEL_PARTS 12u /* names kept of a unit that is a sequence */

struct model_unit {
    enum model_unit_kind kind;
    enum model_no_unit why;  /* kind NONE */
    const char *asked;       /* why NO_SUCH_NAME: the name that was asked for; the options' own */
    const char *name, *file; /* of the call; of the frame that loops for kind LOOP ("" for a program without Python) */
    uint32_t line;
    const char *called_as;             /* the call's own name where `name` is a module's forward; else NULL */
    const char *loop_name, *loop_file; /* the frame that the units are called from */
    uint32_t loop_line;
    const char *parts[MODEL_PARTS];          /* the Python calls of the sequence; where there are none, all of it */
    size_t n_parts, n_named;                 /* calls in the sequence; of those the ones that `parts` is about, kept or not */
    uint32_t role;                           /* index into roles */
    uint32_t thread;                         /* number */
    struct steady steady;                    /* ticks */
    uint64_t joined;                         /* units that end where the next begins */
    uint64_t runs;                           /* stretches of joined units */
    uint64_t *walls;                         /* keep_units: steady.n of them */
    struct model_class classes[OVH_CLASSES]; /* self times of the counted units */
    uint64_t sum;                            /* of the classes; equals steady.sum when nothing is lost */
    struct model_counts counts;
    struct model_step *steps; /* by self time */
    size_t n_steps;
    bool complete_python; /* Python frames were recorded */
};

enum model_verdict_kind {
    MODEL_UNKNOWN = 0, /* nothing says what the GPU did */
    MODEL_HOST_BOUND,
    MODEL_GPU_BOUND,  /* the GPU was still at work when the host was done */
    MODEL_QUEUE_FULL, /* GPU-bound, and launches blocked: the host time contains the GPU's */
    MODEL_SYNC_BOUND  /* the host waits for the GPU within the unit */
};
struct model_verdict {
    enum model_verdict_kind kind;
    double host;          /* ticks per unit: mean of the counted units less waiting */
    double corrected;     /* that without the probes' cost (correct.h); the same where it is not known */
    double wait;          /* ticks per unit */
    double gpu;           /* ticks per unit, 0 unknown: from the waits at the end of runs */
    uint64_t gpu_runs;    /* runs that it was inferred from */
    uint64_t prompt_runs; /* runs whose wait ended at once: the GPU had kept up */
    uint64_t runs;        /* runs of units with a wait behind them */
    double event_us;      /* per unit, from cudaEventElapsedTime; 0 unknown */
    uint64_t event_units;
};

/* Launches that wait for room in the launch queue. */
struct model_blocked {
    bool found;        /* so many that it is no accident */
    uint64_t launches; /* of the whole run, that took far longer than a usual one */
};

struct model_probe {
    uint32_t probe; /* enum ovh_probe */
    double median_ns;
};

struct model {
    const struct trace *trace;
    double ns;           /* per tick */
    uint64_t start, end; /* ticks of the first and last event */
    struct model_quality quality;
    struct windows windows;
    struct cct tree;
    struct model_role *roles;
    size_t n_roles;
    struct model_class run[OVH_CLASSES]; /* all roles */
    struct model_counts run_counts;
    struct counted counted;
    struct modules modules;   /* of the units */
    struct backward backward; /* likewise */
    struct ranges ranges; /* that the program set, in the whole run */
    struct tally kernels; /* ids of KERNEL definitions; 0: unknown */
    bool native_recorded; /* there are native steps: C functions called from Python */
    struct model_native native;
    struct correction correction;
    bool walked_stacks;   /* Python was walked, not recorded */
    struct model_probe probes[8];
    size_t n_probes;
    struct model_blocked blocked;
    struct model_unit unit;
    struct unit_list *units; /* where they are: unit.h */
    struct blocks blocks;    /* the counted units in blocks */
    struct model_verdict verdict;
};

/* NULL: no memory. The trace stays open while the model lives. */
struct model *model_build(const struct trace *trace, const struct model_options *options);
void model_free(struct model *m);

/* One unit's spans, for a timeline. */
struct model_span {
    uint32_t node;
    uint32_t depth;         /* from 0 */
    uint64_t start, length; /* ticks from the unit's start */
    bool failed;
    bool counted; /* not timed: no length */
};
struct model_timeline {
    size_t unit; /* its number among all units */
    uint64_t wall;
    bool corrected; /* without what the probes cost; nothing is multiplied, as single units differ from the mean */
    struct model_span *spans; /* by start */
    size_t n;
};
/* The counted unit whose duration is nearest the median; without the probes' cost where that is known and `raw` is false. False: no
 * unit, or no memory. */
bool model_timeline(const struct model *m, bool raw, struct model_timeline *line);
void model_timeline_free(struct model_timeline *line);

/* Names of a node for printing. Never NULL. */
const char *model_node_name(const struct model *m, uint32_t node);
/* File or library and first line of a node's step; "" and 0 where none. */
const char *model_node_file(const struct model *m, uint32_t node, uint32_t *line);
/* Where a hooked call was called from: file and line; NULL unknown. */
const char *model_node_caller(const struct model *m, uint32_t node, uint32_t *line);

#endif
