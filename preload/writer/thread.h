/* SPDX-License-Identifier: Apache-2.0
 *
 * What libovh.so keeps per thread: where the next word goes, and which spans are open.
 */
#ifndef OVH_WRITER_THREAD_H
#define OVH_WRITER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define OVH_HIDDEN __attribute__((visibility("hidden")))
#define OVH_COLD __attribute__((cold, noinline))
#define ovh_likely(x) __builtin_expect(!!(x), 1)
#define ovh_unlikely(x) __builtin_expect(!!(x), 0)

#define OVH_DEPTH 2048u /* open spans kept per thread, a power of two; deeper ones are counted and wrap round */
#define OVH_ROOM 512u   /* words behind `limit` that the records between two checks may use */

struct ovh_chunk_head;

/* Lives in our own arena, is never freed (a span of a dead thread may still be open in some frame), and is reused by later
 * threads. Only its own thread writes it, but for `number` == 0 while it lies in the free list. */
struct ovh_thread {
    /* the hot line */
    uint32_t *next;  /* where the next word goes: in a mapped chunk, or in `scratch` while there is no file */
    uint32_t *limit; /* from here on the chunk counts as full: OVH_ROOM words are left */
    uint64_t last;   /* tick of the last event written */
    uint32_t depth;  /* open spans */
    uint32_t busy;   /* the recorder is at work in this thread: what a signal handler calls meanwhile is counted as lost */
    const char *frame;    /* innermost recorded Python frame (PyFrameObject, _PyInterpreterFrame), or NULL */
    uint32_t frame_depth; /* `depth` when that frame was the innermost span: a call at this depth came straight from it */
    uint32_t frames_era;  /* python/: ovh_frames_era when `frame` was last known to be right */
    uint64_t at;          /* instruction of `frame` that the last AT record told */
    uint32_t random;      /* short_calls.h: which short call is timed */
    uint32_t untimed;     /* a hooked call that was counted, not timed, is under way: what it asks the driver is its own business */
    /* the rest */
    uint32_t lost; /* calls not recorded because of `busy` */
    uint32_t driver_launches; /* cuda/: launches of the driver level, to tell whether a runtime launch had one inside */
    struct ovh_chunk_head *chunk; /* mapped chunk that `next` points into, NULL while in scratch */
    uint64_t sequence;            /* of that chunk among this thread's */
    uint32_t number;              /* this thread's number in the trace, from 1 */
    uint32_t tid;
    uint64_t base_frame;          /* python/: outermost frames as the last snapshot saw them */
    uint64_t stack_hash;          /* python/: the last walked stack */
    struct ovh_thread *link;      /* all threads, or the free list */
    uint32_t state;               /* writer/ only */
    uint32_t python_state;        /* python/ only */
    uint64_t python_scratch[8];   /* python/ only */
    uint32_t scratch[OVH_ROOM + 64];
    uint32_t open[OVH_DEPTH];     /* ids of the open spans: open[i % OVH_DEPTH] */
};

/* Initial-exec: 1.3 ns instead of 3.2, and no allocation at first touch. One pointer only: a library that is dlopen'ed later
 * has little room for static TLS (FACTS). NULL until the thread's first hooked call. */
extern OVH_HIDDEN __thread struct ovh_thread *ovh_self __attribute__((tls_model("initial-exec")));

/* What is being recorded: enum ovh_arm bits. Read by every hook, written by arm and disarm only. */
enum ovh_arm {
    OVH_ARM_LAUNCH = 1u << 0, /* OVH_KIND_AT_EVERY_LEVEL: level 0 */
    OVH_ARM_CALL = 1u << 1,   /* every other CUDA call: level 1 */
    OVH_ARM_CUDA = OVH_ARM_LAUNCH | OVH_ARM_CALL,
    OVH_ARM_FRAMES = 1u << 2, /* Python frames: level 2 */
    OVH_ARM_WALK = 1u << 3,   /* level 2 where frames cannot be recorded: walked at every call */
    OVH_ARM_NATIVE = 1u << 4, /* C functions called from Python: level 3 */
    OVH_ARM_NESTED = 1u << 5  /* driver queries that another hooked call makes (cuCtxGetDevice in cudaGetDevice) */
};
extern OVH_HIDDEN uint32_t ovh_armed;

/* This thread's block, made at its first hooked call; opens the trace file if no hooked call came before (no CUDA call, no file).
 * NULL where nothing can be recorded: the call then passes through. Keeps errno. Any thread, any time, also inside malloc:
 * allocates by mmap only. */
OVH_HIDDEN OVH_COLD struct ovh_thread *ovh_thread_start(void);

#endif
