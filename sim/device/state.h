/* SPDX-License-Identifier: Apache-2.0
 *
 * The device's state, shared by stream.c, launch.c, event.c and graph.c. One lock guards all of it; nobody waits with it held.
 */
#ifndef OVH_SIM_STATE_H
#define OVH_SIM_STATE_H

#include "sim/device/device.h"
#include <pthread.h>

#define SIM_STREAM_NON_BLOCKING 1u /* does not wait for the legacy default stream, nor that for it */
#define SIM_EVENT_BLOCKING_SYNC 1u
#define SIM_EVENT_DISABLE_TIMING 2u

struct sim_stream {
    uint32_t magic;
    unsigned flags;
    int priority;
    unsigned long long id;
    uint64_t busy_until; /* all work given to it so far is done then */
    uint64_t *ends;      /* ring of `depth`: when each launch in the queue will be done */
    unsigned depth, first, count;
    struct sim_capture *capture; /* NULL: not capturing */
    struct sim_stream *next;
};

struct sim_event {
    uint32_t magic;
    unsigned flags;
    bool recorded;
    uint64_t time;
    unsigned long long capture; /* recorded in a capturing stream: that capture's id */
};

/* A capture in progress; `origin` ends it, other streams join it through events. */
struct sim_capture {
    unsigned long long id;
    struct sim_graph *graph;
    struct sim_stream *origin;
};

extern pthread_mutex_t sim_lock;
extern struct ovh_sim_counts sim_counts;

/* The stream of a handle, with the lock held. NULL: not a stream. */
struct sim_stream *sim_stream_of(void *handle);
/* Earliest time at which new work on `s` can begin. */
uint64_t sim_stream_ready(struct sim_stream *s);
struct sim_stream *sim_stream_all(void); /* linked by `next` */

/* What a graph is made of. */
enum sim_node_kind { SIM_NODE_KERNEL, SIM_NODE_COPY, SIM_NODE_FILL, SIM_NODE_HOST };
struct sim_node {
    enum sim_node_kind kind;
    struct sim_function *function; /* kernel */
    double flops;
    void *to; /* copy, fill */
    const void *from;
    size_t bytes;
    uint32_t value;
    unsigned value_bytes;
    void (*call)(void *); /* host */
    void *data;
};
uint64_t sim_node_time(const struct sim_node *node);
void sim_node_act(const struct sim_node *node); /* what it does to memory and host */
int sim_graph_add(struct sim_graph *graph, const struct sim_node *node);
/* Puts `ns` of work on the stream's queue; blocks while that is full. Called and returns with the lock held. */
void sim_enqueue(struct sim_stream *s, uint64_t ns);
double sim_take_flops(void);
/* Waits until `until` outside the lock and counts it. */
void sim_block(uint64_t until);

#endif
