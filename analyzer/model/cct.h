/* SPDX-License-Identifier: Apache-2.0
 *
 * Calling-context tree: one node per distinct path of steps from the outermost span of a thread role. Memory grows with the number
 * of distinct paths, never with the number of calls. Each instant of a thread is charged to the node of its innermost open span, so
 * the self times of a tree add up to the time that was recorded, whatever the classes are.
 *
 * A path has at most one open instance per thread, and threads are walked one after the other: scratch that belongs to "the open
 * instance" can live in the node.
 */
#ifndef CCT_CCT_H
#define CCT_CCT_H

#include "analyzer/trace/trace.h"

enum cct_flag {
    CCT_PYTHON = 1u << 0,        /* the step is a Python frame */
    CCT_LAUNCH = 1u << 1,        /* the step launches */
    CCT_LAUNCH_TOP = 1u << 2,    /* ... and no step above it does: counts as one launch */
    CCT_ALLOC_TOP = 1u << 3,     /* likewise for allocations, */
    CCT_COPY_TOP = 1u << 4,      /* copies, blocking ones too, */
    CCT_SYNC_TOP = 1u << 5,      /* synchronisations and blocking copies, */
    CCT_HEURISTIC_TOP = 1u << 6, /* heuristics, */
    CCT_GEMM_TOP = 1u << 7,      /* matrix products */
    CCT_HOOKED = 1u << 8,        /* a hooked library call: neither Python nor native */
    CCT_LOOP = 1u << 9,          /* units of work are children of this node */
    CCT_UNIT = 1u << 10,         /* a unit of work, or a part of one */
    CCT_NAMES = 1u << 11,        /* the first such span below a child of the loop says which module that child is */
    CCT_ROOT = 1u << 12,         /* of a thread role: time outside every recorded span */
    CCT_UNKNOWN = 1u << 13,      /* the step has no definition */
    CCT_PSEUDO = 1u << 14,       /* enum cct_pseudo */
    CCT_COUNTED = 1u << 15       /* calls of the step were counted and not timed (counted.h): its spans are a sample of its calls */
};

struct cct_node {
    uint32_t parent, step;
    uint32_t last; /* the child that was entered last */
    uint32_t next; /* the sibling that followed this node the last time: a guess that is nearly always right in a loop */
    uint16_t flags;
    uint8_t class_;       /* enum ovh_class of its self time: the step's, or WAIT at and below a step that waits for the GPU */
    uint8_t kind;         /* enum ovh_kind of the step */
    uint32_t kinds;       /* bits of the kinds of this node and all above it */
    uint64_t self, calls; /* whole run: ticks; spans entered and calls counted */
    uint64_t unit_self, unit_calls; /* within the units that count */
    uint32_t at;                    /* hooked call from Python: code offset of the calling instruction + 1; 0 unknown */
    uint32_t open;                  /* loop: index of the open child. Launch: number of its histogram (blocked.h) */
};

struct cct {
    const struct trace *trace;
    struct cct_node *nodes; /* nodes[0] is nobody's child and never matches */
    uint32_t n, room;
    uint32_t *slots; /* open addressing: node numbers by (parent, step); a power of two of them */
    uint32_t n_slots;
    bool no_memory;
};

#define CCT_NONE 0u

/* Who calls, C functions called from Python left out: of a CUDA call in torch._C._nn.linear, the frame that called that. */
static inline uint32_t cct_caller(const struct cct *t, const struct cct_node *node)
{
    uint32_t caller = node->parent;
    while (t->nodes[caller].class_ == OVH_CLASS_NATIVE && !(t->nodes[caller].flags & CCT_ROOT))
        caller = t->nodes[caller].parent;
    return caller;
}

/* Is a call, made by the frame that loops, a part of the sequence that repeats? Not one of which only a sample is timed, nor a C
 * function called from Python, where it launches nothing: at other levels of detail it is not there. */
static inline bool cct_in_sequence(const struct cct_node *node)
{
    bool left_out = node->flags & CCT_COUNTED || node->class_ == OVH_CLASS_NATIVE;
    return node->flags & CCT_UNIT || !left_out;
}

/* Steps that no event enters: what is charged apart from the span that it happened in. */
enum cct_pseudo {
    CCT_STEP_GC = OVH_ID_MAX + 1, /* Python's cyclic garbage collector, between its records */
    CCT_STEP_OFF_CPU,             /* descheduled, waiting for the GIL or a lock: what the records say */
    CCT_STEP_QUEUE_FULL           /* a launch that waited for room in the queue: what it took beyond a usual one */
};

/* False: no memory. The tree reads step definitions of `trace` whenever a node is made. */
bool cct_begin(struct cct *t, const struct trace *trace);
void cct_end(struct cct *t);

/* A new root. CCT_NONE: no memory. */
uint32_t cct_root(struct cct *t);

/* The child of `parent` for `step`, made when it is new; with t->no_memory set, nodes[0] takes what has no place. */
uint32_t cct_child_find(struct cct *t, uint32_t parent, uint32_t step);

static inline uint32_t cct_child(struct cct *t, uint32_t parent, uint32_t step)
{
    struct cct_node *p = &t->nodes[parent];
    uint32_t guess = t->nodes[p->last].next;
    if (t->nodes[guess].step == step) {
        p->last = guess;
        return guess;
    }
    return cct_child_find(t, parent, step);
}

/* Children in the order they were first met. Both arrays have t->n entries; 0 ends a list. free() first. */
struct cct_order {
    uint32_t *first, *sibling;
};
bool cct_order(const struct cct *t, struct cct_order *o);

/* sum[i]: over the subtree of i. A node's number is greater than its parent's. Both `sum` arrays have t->n entries. */
void cct_sum(const struct cct *t, uint64_t *sum);

#endif
