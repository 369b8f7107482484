/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated device as a test or a tool sees it: what libovhsim.so.1 exports for people. docs/simulated-device.md tells what the
 * device does; everything here can also be set by an OVH_SIM_* variable. All functions may be called from any thread.
 *
 * A program need not link against the library: dlsym(RTLD_DEFAULT, "ovh_sim_device") tells whether it runs on the simulated device
 * (where the CUDA libraries were loaded with RTLD_LOCAL, as ctypes does: whether libovhsim.so.1 is loaded).
 */
#ifndef OVH_SIM_H
#define OVH_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The marker: its presence in a process says "simulated". Reads "ovh simulated device VERSION". */
extern const char ovh_sim_device[];

/* The device's clock in ns. Real clock: CLOCK_MONOTONIC. Fake clock (OVH_SIM_CLOCK=fake): starts at 1 s and moves only by the costs
 * of calls, by waiting for the device, and by ovh_sim_advance. */
uint64_t ovh_sim_ticks(void);

/* 1 when the fake clock is in force. It cannot change within a process. */
int ovh_sim_clock_is_fake(void);

/* The host works for `ns`: moves the fake clock; spins for as long on the real one. */
void ovh_sim_advance(uint64_t ns);

/* Kernels whose (mangled) name fits `pattern` (fnmatch(3)) take `ns` from now on; of several patterns that fit, the last one set
 * counts. "ovh_sim_gemm*" are the matrix products of the simulated cuBLAS. Returns 0, or -1 when the table (256 entries) is full. */
int ovh_sim_set_kernel_time(const char *pattern, uint64_t ns);

/* Calls whose name fits `pattern` cost the host `ns`, on top of what the stand-in itself takes. A pattern that begins with '@' is a
 * class: @cudart, @driver, @cublas, @cublaslt. The last one that fits counts. Returns as above. */
int ovh_sim_set_call_cost(const char *pattern, uint64_t ns);

/* Bytes of memory that calls have read since the process began, to cool the caches as a real library does (OVH_SIM_TOUCH). */
uint64_t ovh_sim_touched(void);

/* Launches a stream holds before the next launch blocks (default 1024, at most 65536). Takes effect on streams that are empty. */
void ovh_sim_set_queue_depth(unsigned launches);

/* What the device has done since the process began. */
struct ovh_sim_counts {
    uint64_t launches;     /* kernels, graph launches and host functions; without captured ones */
    uint64_t captured;     /* launches, copies and memsets that became graph nodes */
    uint64_t graph_nodes;  /* nodes run by graph launches */
    uint64_t copies, memsets;
    uint64_t blocked;      /* launches that found the queue full */
    uint64_t blocked_ns;   /* for how long */
    uint64_t waits;        /* synchronising calls that had to wait */
    uint64_t wait_ns;      /* for how long */
    uint64_t allocated;    /* bytes of device memory in use now */
    uint64_t kernel_calls; /* successful calls that launch a kernel, captured ones included */
    uint64_t graph_calls;  /* successful calls that launch a graph, captured ones included */
};
void ovh_sim_get_counts(struct ovh_sim_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
