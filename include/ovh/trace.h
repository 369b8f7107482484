/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace file on disk: the contract between libovh.so (which writes it) and ovh-report (which reads it).
 * The specification is docs/trace-format.md; this header is its C form and must never say anything else.
 * Everything is little-endian. A change here is a change of the format: spec, version row, golden file, reader, one commit.
 */
#ifndef OVH_TRACE_H
#define OVH_TRACE_H

#include <stddef.h>
#include <stdint.h>

#define OVH_TRACE_MAGIC "OVHTRACE" /* 8 bytes, no terminator */
#define OVH_TRACE_MAJOR 1          /* a reader refuses a newer major, and reads every older one */
#define OVH_TRACE_MINOR 1          /* new record types: an old reader skips what it does not know */

#define OVH_CHUNK_MAGIC 0x4b48564fu /* "OVHK" */
#define OVH_CHUNK_BYTES (256u << 10) /* default stride; the file head says the real one */
#define OVH_CHUNK_BYTES_MIN 4096u
#define OVH_CHUNK_BYTES_MAX (64u << 20)

enum ovh_arch { OVH_ARCH_X86_64 = 1, OVH_ARCH_AARCH64 = 2 };

enum ovh_clock {
    OVH_CLOCK_COUNTER = 1,   /* rdtsc, cntvct_el0 */
    OVH_CLOCK_MONOTONIC = 2, /* clock_gettime(CLOCK_MONOTONIC_RAW), ticks are ns */
    OVH_CLOCK_SIMULATED = 3  /* the simulated device's fake clock, ticks are ns */
};

enum ovh_file_flags {
    OVH_FILE_SIMULATED = 1u << 0, /* the CUDA libraries were ovh's stand-ins: every report says so */
    OVH_FILE_RING = 1u << 1       /* flight recorder: event chunks are recycled */
};

/* At offset 0. Written once, before anything else; what becomes known later is a definition record. */
struct ovh_file_head {
    char magic[8];
    uint16_t major, minor;
    uint32_t head_bytes;  /* offset of chunk 0's header: 256 */
    uint32_t chunk_bytes; /* stride: chunk n is at n * chunk_bytes; chunk 0 begins with this head */
    uint32_t flags;       /* enum ovh_file_flags */
    uint16_t arch;        /* enum ovh_arch */
    uint16_t clock;       /* enum ovh_clock */
    uint32_t pid;
    uint64_t tick_hz;         /* ticks per second as the machine states it; anchors correct it */
    uint64_t start_tick;      /* these three were read together */
    uint64_t start_monotonic; /* ns, CLOCK_MONOTONIC_RAW */
    uint64_t start_realtime;  /* ns since the epoch, CLOCK_REALTIME */
    uint64_t process_start;   /* field 22 of /proc/PID/stat: with pid, names the process for good */
    uint8_t reserved[180];
    uint32_t check; /* XXH32, seed 0, of all bytes before this field */
};

enum ovh_chunk_kind { OVH_CHUNK_EVENTS = 1, OVH_CHUNK_DEFINITIONS = 2 };

/* At n * chunk_bytes (chunk 0: at head_bytes). Its payload follows at once and ends at the next stride. */
struct ovh_chunk_head {
    uint32_t magic; /* OVH_CHUNK_MAGIC; 0: this stride was never used */
    uint16_t kind;  /* enum ovh_chunk_kind */
    uint16_t flags; /* 0 */
    uint32_t index; /* n: shows a misplaced chunk */
    uint32_t thread;     /* events: number of the owning thread, from 1; definitions: 0 */
    uint64_t sequence;   /* events: 0, 1, 2, ... per thread; definitions: 0, 1, 2, ... per file */
    uint64_t base_tick;  /* absolute tick that the first event's delta counts from */
    uint64_t generation; /* ring: how often this stride was recycled */
    uint32_t used;  /* bytes of payload once sealed; 0 while open: read up to the first zero word */
    uint32_t check; /* sealed: XXH32, seed 0, of the payload's `used` bytes; written before `used` */
    uint32_t head_check; /* XXH32, seed 0, of the 40 bytes before `used`; written when the chunk is begun, `magic` after it */
    uint32_t reserved[3];
};

/* ---- Event chunks: a stream of 32-bit words ------------------------------------------------------------------
 * The low two bits say what a word is. A whole zero word means "not written": the end of an open chunk.
 *
 *   x1 (01)  ENTER   id in bits 2..15,  ticks since the last event in bits 16..31
 *   x2 (10)  LEAVE   bit 2: the call failed (exception, error status); ticks since the last event in bits 3..31
 *   x3 (11)  ENTER, long form: id in bits 2..31; the next word holds the ticks since the last event
 *   x0 (00)  record  words that follow in bits 2..7, type in bits 8..15 (never 0), small argument in bits 16..31
 *
 * Where a delta does not fit, a TIME record goes before and the event's delta counts from it.
 */
enum ovh_word { OVH_WORD_RECORD = 0, OVH_WORD_ENTER = 1, OVH_WORD_LEAVE = 2, OVH_WORD_ENTER_LONG = 3 };

#define OVH_ENTER_ID_BITS 14
#define OVH_ENTER_ID_MAX ((1u << OVH_ENTER_ID_BITS) - 1)
#define OVH_ENTER_DELTA_MAX 0xffffu
#define OVH_ID_MAX ((1u << 30) - 1)
#define OVH_CALL_ID_MAX 0xffffu /* of a CALL record */
#define OVH_LEAVE_DELTA_MAX ((1u << 29) - 1)
#define OVH_LEAVE_FAILED 4u
#define OVH_RECORD_WORDS_MAX 63u

#define OVH_ENTER_WORD(id, delta) (OVH_WORD_ENTER | (uint32_t)(id) << 2 | (uint32_t)(delta) << 16)
#define OVH_LEAVE_WORD(failed, delta) (OVH_WORD_LEAVE | ((failed) ? OVH_LEAVE_FAILED : 0u) | (uint32_t)(delta) << 3)
#define OVH_ENTER_LONG_WORD(id) (OVH_WORD_ENTER_LONG | (uint32_t)(id) << 2)
#define OVH_RECORD_WORD(type, words, arg) (OVH_WORD_RECORD | (uint32_t)(words) << 2 | (uint32_t)(type) << 8 | (uint32_t)(arg) << 16)

/* Record types of event chunks. 64-bit values are two words, low word first. "Innermost" is the innermost open span.
 * Argument records stand between the enter and the leave of the call they describe. */
enum ovh_record {
    OVH_R_TIME = 1,      /* tick:2. Sets the clock to an absolute tick */
    OVH_R_SNAPSHOT = 2,  /* arg: enum ovh_snapshot (cut: only the innermost are given); id:1 each, outermost first. The open spans are these */
    OVH_R_AT = 3,        /* arg: code offset of the innermost Python span, in 2-byte units; 0xffff: the word holds it */
    OVH_R_STACK = 4,     /* stack:1. Python frames (a STACK definition) above the next enter, where frames are not recorded */
    OVH_R_UNWIND = 5,    /* arg: spans that were closed without a leave (exception through C, longjmp) */
    OVH_R_STATUS = 6,    /* value:1. Non-zero status that the innermost call returned */
    OVH_R_WINDOW = 7,    /* arg: level, 0xffff: recording stops; number:1, tick:2, reason:1; since 1.1 settle:1, period:1 (launch calls) */
    OVH_R_LOSS = 8,      /* arg: enum ovh_loss; count:2. Events that this thread could not record here */
    OVH_R_LAUNCH = 9,    /* arg: enum ovh_launch_flags; kernel id:1, function:2, stream:2, grid x y z:3, block x y z:3, shared bytes:1 */
    OVH_R_MEMORY = 10,   /* arg: enum ovh_memory; bytes:2, pointer:2, stream:2 */
    OVH_R_COPY = 11,     /* arg: enum ovh_copy | OVH_COPY_ASYNC; bytes:2, stream:2 */
    OVH_R_HANDLE = 12,   /* arg: enum ovh_handle; handle:2, stream:2. Event, stream, graph and module operations */
    OVH_R_GEMM = 13,     /* arg: batch count if < 0xffff; m:2, n:2, k:2, batch:1, types A B C compute: 1 (8 bits each) */
    OVH_R_RANGE = 14,    /* arg: enum ovh_range; range definition:1 (pop: any of its domain, or 0), number:1 of a started range */
    OVH_R_LINK = 15,     /* arg: enum ovh_link; thread:1, token:2. Work handed to another thread */
    OVH_R_GC = 16,       /* arg: generation, bit 15: end; tick:2 */
    OVH_R_OFF_CPU = 17,  /* arg: enum ovh_off_cpu; ticks:2, voluntary switches:1, involuntary switches:1, in the innermost span */
    OVH_R_GPU = 18,      /* arg: enum ovh_gpu; clock domain:1, start:2, end:2, launch number:2, kernel id:1 */
    OVH_R_COUNTERS = 19, /* arg: counter set; value:2 each */
    OVH_R_SAMPLE = 20,   /* arg: frames; object:1, offset:2 each, innermost first. Native stack above the innermost span */
    OVH_R_MODULE = 21,   /* module definition:1. The innermost Python span is a call of this nn.Module */
    OVH_R_ELAPSED = 22,  /* microseconds (IEEE single):1. What cudaEventElapsedTime told the program */
    OVH_R_NAME = 23,     /* text id:1. Name that the innermost call asked for (a NAME definition) */
    OVH_R_THREAD = 24,   /* thread:1. The chunk changed hands (its thread ended): what follows is that thread's (its sequence 0); TIME and SNAPSHOT come next */
    OVH_R_CALL = 25      /* arg: step id. A short call, counted here and not timed; some of them are timed, as spans */
};

enum ovh_launch_flags {
    OVH_LAUNCH_CAPTURED = 1u << 0, /* the stream was capturing: a graph node, not work for the GPU */
    OVH_LAUNCH_GRAPH = 1u << 1,    /* a whole graph; `function` is the executable graph */
    OVH_LAUNCH_HOST = 1u << 2      /* a host function */
};
enum ovh_memory { OVH_MEM_ALLOC = 1, OVH_MEM_FREE, OVH_MEM_ALLOC_HOST, OVH_MEM_FREE_HOST, OVH_MEM_ALLOC_POOL, OVH_MEM_FREE_POOL, OVH_MEM_SET, OVH_MEM_MAP };
enum ovh_copy { OVH_COPY_H2H = 0, OVH_COPY_H2D = 1, OVH_COPY_D2H = 2, OVH_COPY_D2D = 3, OVH_COPY_DEFAULT = 4, OVH_COPY_ASYNC = 1 << 8 };
enum ovh_handle {
    OVH_H_EVENT_CREATE = 1, OVH_H_EVENT_RECORD, OVH_H_EVENT_QUERY, OVH_H_EVENT_DESTROY, OVH_H_STREAM_CREATE, OVH_H_STREAM_WAIT,
    OVH_H_STREAM_QUERY, OVH_H_STREAM_DESTROY, OVH_H_CAPTURE_BEGIN, OVH_H_CAPTURE_END, OVH_H_GRAPH, OVH_H_MODULE, OVH_H_SYNC
};
enum ovh_window_reason { OVH_WINDOW_BEGIN = 1, OVH_WINDOW_ASKED, OVH_WINDOW_LEVEL, OVH_WINDOW_TROUBLE };
#define OVH_WINDOW_STOPS 0xffffu /* level of the WINDOW record that ends a window */
enum ovh_snapshot { OVH_SNAPSHOT_FIRST = 1u << 0, OVH_SNAPSHOT_MORE = 1u << 1, OVH_SNAPSHOT_CUT = 1u << 2 };
enum ovh_range { OVH_RANGE_PUSH = 1, OVH_RANGE_POP, OVH_RANGE_START, OVH_RANGE_END, OVH_RANGE_MARK };
enum ovh_link { OVH_LINK_SEND = 1, OVH_LINK_RECEIVE };
enum ovh_off_cpu { OVH_OFF_DESCHEDULED = 1, OVH_OFF_GIL, OVH_OFF_LOCK };
enum ovh_gpu { OVH_GPU_KERNEL = 1, OVH_GPU_COPY, OVH_GPU_SET };
enum ovh_loss {
    OVH_LOSS_NO_SPACE = 1,   /* the file could not grow */
    OVH_LOSS_RECURSION,      /* a hook ran inside the recorder of its own thread (a signal handler) */
    OVH_LOSS_DEPTH,          /* deeper than the stack kept per thread */
    OVH_LOSS_IDS,            /* more distinct functions than ids */
    OVH_LOSS_UNHOOKED,       /* a call went through unrecorded: unknown version or no free wrapper */
    OVH_LOSS_THREADS         /* more threads than can be recorded */
};

/* ---- Definition chunks: byte records, each checked for itself --------------------------------------------------
 * Never recycled. May stand anywhere in the file, after events that refer to them: a reader takes all of them first. */
struct ovh_def_head {
    uint32_t bytes; /* with this head, without padding; the next record is at the next multiple of 8. 0: the end */
    uint16_t type;  /* enum ovh_def */
    uint16_t arg;
    uint32_t check; /* XXH32, seed 0, of bytes, type and arg (8 bytes) and then the body */
    uint32_t reserved;
};

/* Bodies follow the head. "text" is UTF-8 with a terminating zero byte; texts follow each other. */
enum ovh_def {
    OVH_D_VALUE = 1,       /* text key, text value: the head of the report (docs/trace-format.md lists the keys) */
    OVH_D_ANCHOR = 2,      /* struct ovh_def_anchor */
    OVH_D_STEP = 3,        /* struct ovh_def_step, text name, text file or library */
    OVH_D_THREAD = 4,      /* struct ovh_def_thread, text name. arg 1: the thread has ended, tick says when */
    OVH_D_OBJECT = 5,      /* struct ovh_def_object, text path */
    OVH_D_KERNEL = 6,      /* u32 kernel id, text mangled name */
    OVH_D_LINES = 7,       /* struct ovh_def_lines, table bytes */
    OVH_D_STACK = 8,       /* u32 stack id, u32 n, n x { u32 step, u32 code offset in 2-byte units }, outermost first */
    OVH_D_CALIBRATION = 9, /* struct ovh_def_calibration */
    OVH_D_COVERAGE = 10,   /* struct ovh_def_coverage, text reason */
    OVH_D_LOSS = 11,       /* u32 enum ovh_loss, u32 0, u64 count so far in the process (the last one counts), text where */
    OVH_D_MODULE = 12,     /* u32 module id, u32 parent module id or 0, text name in parent, text type */
    OVH_D_RANGE = 13,      /* u32 range id, u32 colour, text domain, text name */
    OVH_D_NOTE = 14,       /* text: something a reader of the report must know (a mechanism turned off, and why) */
    OVH_D_NAME = 15,       /* u32 text id, text */
    OVH_D_GPU_CLOCK = 16,  /* u32 domain, u32 0, u64 GPU time, u64 tick */
    OVH_D_COUNTER_SET = 17,/* u32 set, u32 n, n texts */
    OVH_D_SETTINGS = 18,   /* text variable, text value: an OVH_* variable as it was in force */
    OVH_D_END = 255        /* u64 tick, u32 enum ovh_end, u32 strides of the file (0: not said): the process ended in good order */
};
enum ovh_end { OVH_END_EXIT = 1, OVH_END_STOPPED = 2 };

struct ovh_def_anchor {
    uint64_t tick, monotonic, realtime; /* ns; the three were read within `width` ticks */
    uint64_t width;
};

/* Whose time a step's self time is (DESIGN section 2). Numbers are part of the format. */
enum ovh_class {
    OVH_CLASS_PYTHON = 1, OVH_CLASS_NATIVE, OVH_CLASS_CUBLAS, OVH_CLASS_CUBLASLT, OVH_CLASS_CUDNN, OVH_CLASS_NCCL, OVH_CLASS_CUDART,
    OVH_CLASS_DRIVER, OVH_CLASS_WAIT, OVH_CLASS_OFF_CPU, OVH_CLASS_GC, OVH_CLASS_OTHER, OVH_CLASS_CUSPARSE,
    OVH_CLASS_CUSOLVER, OVH_CLASS_CUFFT, OVH_CLASS_CURAND, OVH_CLASS_NVRTC, OVH_CLASSES
};

/* What a step does, so that a report can count it. Numbers are part of the format. */
enum ovh_kind {
    OVH_KIND_PLAIN = 0, OVH_KIND_LAUNCH, OVH_KIND_ALLOC, OVH_KIND_FREE, OVH_KIND_COPY, OVH_KIND_COPY_SYNC, OVH_KIND_MEMSET, OVH_KIND_EVENT,
    OVH_KIND_STREAM, OVH_KIND_SYNC, OVH_KIND_GRAPH, OVH_KIND_MODULE, OVH_KIND_GEMM, OVH_KIND_REGISTER, OVH_KIND_CAPTURE, OVH_KIND_QUERY,
    OVH_KIND_HEURISTIC, OVH_KIND_LOOKUP, OVH_KIND_FUNCTION, OVH_KIND_SET, OVH_KINDS
};

/* Kinds that every level of detail records, the lowest too: launches, what blocks, and events, which tell between which launches the
 * program takes time. */
#define OVH_KIND_AT_EVERY_LEVEL(kind) \
    ((kind) == OVH_KIND_LAUNCH || (kind) == OVH_KIND_SYNC || (kind) == OVH_KIND_COPY_SYNC || (kind) == OVH_KIND_EVENT)

struct ovh_def_step {
    uint32_t id;         /* as in ENTER; ids are never reused */
    uint16_t class_;     /* enum ovh_class */
    uint16_t kind;       /* enum ovh_kind */
    uint32_t first_line; /* Python: of the code object; else 0 */
    uint32_t object;     /* OBJECT definition of the library, or 0 */
};
struct ovh_def_thread {
    uint32_t number, tid;
    uint64_t tick;
};
struct ovh_def_object {
    uint32_t id;
    uint32_t build_id_bytes; /* <= 20 */
    uint64_t base, size;
    uint8_t build_id[24];
};
enum ovh_lines {
    OVH_LINES_LNOTAB = 1,     /* co_lnotab, CPython 3.9 */
    OVH_LINES_LINETABLE_310,  /* co_linetable, CPython 3.10 */
    OVH_LINES_LOCATIONS_311   /* co_linetable, CPython 3.11 and newer */
};
struct ovh_def_lines {
    uint32_t step;
    uint32_t format; /* enum ovh_lines */
    uint32_t first_line, bytes;
};
enum ovh_probe { OVH_PROBE_CALL = 1, OVH_PROBE_FRAME, OVH_PROBE_SLOT, OVH_PROBE_MONITORING, OVH_PROBE_CLOCK, OVH_PROBE_DISARMED };
struct ovh_def_calibration {
    uint32_t probe, rounds; /* enum ovh_probe; how many measurements the figures are taken from */
    uint64_t median_ps, low_ps, high_ps; /* picoseconds per enter and leave: median, 5th and 95th percentile */
};
/* Why calls of an object are not seen. Object 0: what the text says. */
enum ovh_coverage {
    OVH_COVERAGE_BOUND = 2,   /* hooked functions that it has bound past the wrappers; seen, unseen: functions */
    OVH_COVERAGE_RUNTIME = 3, /* a CUDA runtime is linked into it */
    OVH_COVERAGE_DRIVER = 4   /* unseen: launches of this runtime in which no driver launch was seen */
};
struct ovh_def_coverage {
    uint32_t object, reason; /* OBJECT definition or 0; 0: seen, else enum ovh_coverage */
    uint64_t seen, unseen;
};

#define OVH_STATIC_ASSERT(c) _Static_assert(c, #c)
OVH_STATIC_ASSERT(sizeof(struct ovh_file_head) == 256);
OVH_STATIC_ASSERT(sizeof(struct ovh_chunk_head) == 64);
OVH_STATIC_ASSERT(offsetof(struct ovh_chunk_head, used) == 40);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_head) == 16);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_anchor) == 32);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_step) == 16);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_thread) == 16);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_object) == 48);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_lines) == 16);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_calibration) == 32);
OVH_STATIC_ASSERT(sizeof(struct ovh_def_coverage) == 24);

#endif
