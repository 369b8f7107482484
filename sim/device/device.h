/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated device, as the stand-in libraries call it (they export CUDA's names and contain no device of their own).
 * Functions that can fail return CUDA's own number (CUresult and cudaError_t agree on all of those used here), 0 for success.
 * All times are ns of ovh_sim_ticks(). Handles of streams, events and graphs are pointers to the structs named here; stream 0 and 1
 * are the legacy default stream, 2 is the calling thread's own.
 */
#ifndef OVH_SIM_DEVICE_H
#define OVH_SIM_DEVICE_H

#include "ovh/sim.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_EXPORT __attribute__((visibility("default")))

enum sim_status {
    SIM_OK = 0,
    SIM_INVALID_VALUE = 1,
    SIM_OUT_OF_MEMORY = 2,
    SIM_INVALID_HANDLE = 400,
    SIM_NOT_FOUND = 500,
    SIM_NOT_READY = 600,
    SIM_NOT_SUPPORTED = 801,
    SIM_CAPTURE_UNSUPPORTED = 900,
    SIM_CAPTURE_UNMATCHED = 903,
    SIM_CAPTURE_UNJOINED = 904,
    SIM_CAPTURED_EVENT = 907
};

/* ---- clock.c */
SIM_EXPORT void sim_wait_until(uint64_t ns); /* the host is blocked until then */

/* ---- cost.c: what a call costs the host. One per stand-in function, static; the cost is looked up again when settings change. */
struct sim_call {
    const char *name, *class_; /* "cudaMalloc", "cudart" */
    uint64_t cost;
    uint32_t generation;
    bool hollow; /* the default body: does nothing but this */
};
SIM_EXPORT void sim_call_cold(struct sim_call *call);
SIM_EXPORT void sim_spend(uint64_t ns); /* work.c: the host works for `ns`, reading memory meanwhile (touch.h) */
SIM_EXPORT extern uint32_t sim_cost_generation; /* from 1; raised by each change of costs */

/* At the beginning of every stand-in function: charges the call's cost. */
static inline void sim_charge(struct sim_call *call)
{
    if (__builtin_expect(call->generation != __atomic_load_n(&sim_cost_generation, __ATOMIC_RELAXED), 0))
        sim_call_cold(call);
    if (__builtin_expect(call->cost != 0, 0))
        sim_spend(call->cost);
}

/* ---- function.c: modules and their kernels. A function is made when it is first asked for by name, and kept for good. */
struct sim_module;
struct sim_function;
SIM_EXPORT struct sim_module *sim_module_make(void);
SIM_EXPORT void sim_module_drop(struct sim_module *module);
SIM_EXPORT struct sim_function *sim_function_get(struct sim_module *module, const char *name); /* NULL: out of memory */
/* The handle back when it is that of a function, else NULL: for handles that may be anything. */
SIM_EXPORT struct sim_function *sim_function_checked(const void *handle);
SIM_EXPORT const char *sim_function_name(const struct sim_function *function);
SIM_EXPORT void *sim_module_variable(struct sim_module *module, const char *name, size_t bytes); /* device memory, zeroed */
/* Time of one run; `flops` > 0: of a matrix product, from OVH_SIM_TFLOPS, unless the kernel's time was set by name. */
SIM_EXPORT uint64_t sim_function_time(struct sim_function *function, double flops);
/* The next launch of this thread does so many floating-point operations (cuLaunchKernel has no place to say it). */
SIM_EXPORT void sim_next_launch_flops(double flops);

/* ---- stream.c */
struct sim_stream;
SIM_EXPORT int sim_stream_create(struct sim_stream **out, unsigned flags, int priority);
SIM_EXPORT int sim_stream_destroy(void *stream);
SIM_EXPORT int sim_stream_query(void *stream);       /* SIM_NOT_READY while it has work */
SIM_EXPORT int sim_stream_synchronize(void *stream); /* waits */
SIM_EXPORT int sim_stream_priority(void *stream, int *priority);
SIM_EXPORT int sim_stream_flags(void *stream, unsigned *flags);
SIM_EXPORT int sim_stream_id(void *stream, unsigned long long *id);
SIM_EXPORT int sim_device_synchronize(void); /* waits for every stream */
/* Stream 0 means the thread's own stream between begin and end (the _ptsz and _ptds twins). They nest. */
SIM_EXPORT int sim_per_thread_begin(void);
SIM_EXPORT void sim_per_thread_end(int *unused);
#define SIM_PER_THREAD __attribute__((cleanup(sim_per_thread_end), unused)) int sim_per_thread_ = sim_per_thread_begin()

/* ---- launch.c */
SIM_EXPORT int sim_launch(void *stream, struct sim_function *function);
SIM_EXPORT int sim_launch_host(void *stream, void (*function)(void *), void *data);
enum sim_blocking { SIM_ASYNC, SIM_BLOCKS };
/* Moves the bytes now, as far as docs/simulated-device.md promises, and gives the stream the time that it takes. SIM_BLOCKS: waits. */
SIM_EXPORT int sim_copy(void *stream, void *to, const void *from, size_t bytes, enum sim_blocking blocking);
SIM_EXPORT int sim_copy_2d(void *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                           enum sim_blocking blocking);
SIM_EXPORT int sim_fill(void *stream, void *to, uint32_t value, unsigned value_bytes, size_t count, enum sim_blocking blocking);

/* ---- event.c */
struct sim_event;
SIM_EXPORT int sim_event_create(struct sim_event **out, unsigned flags);
SIM_EXPORT int sim_event_destroy(struct sim_event *event);
SIM_EXPORT int sim_event_record(struct sim_event *event, void *stream);
SIM_EXPORT int sim_event_query(struct sim_event *event);
SIM_EXPORT int sim_event_synchronize(struct sim_event *event);
SIM_EXPORT int sim_event_elapsed(float *ms, struct sim_event *start, struct sim_event *end);
SIM_EXPORT int sim_stream_wait_event(void *stream, struct sim_event *event);

/* ---- graph.c */
struct sim_graph;
struct sim_graph_exec;
SIM_EXPORT int sim_capture_begin(void *stream, int mode);
SIM_EXPORT int sim_capture_end(void *stream, struct sim_graph **out);
/* status: 0 none, 1 active; id and graph only then. Any of them may be NULL. */
SIM_EXPORT int sim_capture_info(void *stream, int *status, unsigned long long *id, struct sim_graph **graph);
SIM_EXPORT int sim_graph_create(struct sim_graph **out);
SIM_EXPORT int sim_graph_destroy(struct sim_graph *graph);
SIM_EXPORT size_t sim_graph_nodes(struct sim_graph *graph, void **nodes, size_t room); /* how many there are; fills up to `room` */
SIM_EXPORT int sim_graph_instantiate(struct sim_graph_exec **out, struct sim_graph *graph);
SIM_EXPORT int sim_graph_exec_destroy(struct sim_graph_exec *exec);
SIM_EXPORT int sim_graph_launch(struct sim_graph_exec *exec, void *stream);

/* ---- memory.c: device memory is host memory that nobody has touched yet */
enum sim_memory { SIM_MEMORY_NONE = 0, SIM_MEMORY_HOST = 1, SIM_MEMORY_DEVICE = 2, SIM_MEMORY_MANAGED = 3 };
SIM_EXPORT int sim_memory_alloc(void **out, size_t bytes, enum sim_memory kind);
SIM_EXPORT int sim_memory_free(void *pointer); /* NULL is legal */
SIM_EXPORT int sim_memory_register(void *pointer, size_t bytes); /* pins memory of the program */
SIM_EXPORT int sim_memory_unregister(void *pointer);
/* Which kind of memory holds `pointer`; base and bytes of its allocation where wanted. */
SIM_EXPORT enum sim_memory sim_memory_of(const void *pointer, void **base, size_t *bytes);
SIM_EXPORT void sim_memory_info(size_t *free_bytes, size_t *total_bytes);

/* ---- attributes.c: what the device is, by the number of CUdevice_attribute (cudaDeviceAttr has the same numbers) */
SIM_EXPORT int sim_attribute(int attribute);
#define SIM_DEVICE_NAME "ovh simulated device (sm_90)"
#define SIM_PCI_BUS_ID "0000:00:00.0"
SIM_EXPORT extern const unsigned char sim_uuid[16];

#endif
