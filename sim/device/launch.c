/* SPDX-License-Identifier: Apache-2.0
 *
 * Work given to a stream: kernels, copies, fills, host functions. While the stream captures, it becomes a node of the graph instead.
 */
#include "sim/device/settings.h"
#include "sim/device/state.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t sim_node_time(const struct sim_node *node)
{
    switch (node->kind) {
    case SIM_NODE_KERNEL:
        return sim_function_time(node->function, node->flops);
    case SIM_NODE_COPY:
    case SIM_NODE_FILL:
        return (uint64_t)((double)node->bytes / sim_settings()->copy_gbps + 0.5); /* 10^9 per s is 1 per ns */
    case SIM_NODE_HOST:
        break;
    }
    return 0;
}

static void fill(const struct sim_node *node)
{
    unsigned char *to = node->to;
    if (node->value_bytes == 1 || !node->value) {
        memset(to, (int)node->value, node->bytes);
        return;
    }
    for (size_t i = 0; i + node->value_bytes <= node->bytes; i += node->value_bytes)
        memcpy(to + i, &node->value, node->value_bytes); /* both architectures are little-endian */
}

static bool on_device(const void *pointer)
{
    return sim_memory_of(pointer, NULL, NULL) == SIM_MEMORY_DEVICE;
}

/* Big moves within the device are left out: kernels compute nothing, so there is nothing in them that a program could miss, and the
 * host would spend the time on memcpy that a real one does not. */
void sim_node_act(const struct sim_node *node)
{
    uint64_t most = sim_settings()->move_max;
    int keep = errno;
    if (node->kind == SIM_NODE_HOST)
        node->call(node->data);
    else if (node->kind == SIM_NODE_COPY && (node->bytes <= most || !on_device(node->to) || !on_device(node->from)))
        memmove(node->to, node->from, node->bytes);
    else if (node->kind == SIM_NODE_FILL && (node->bytes <= most || !on_device(node->to)))
        fill(node);
    errno = keep;
}

static void count(const struct sim_node *node)
{
    if (node->kind == SIM_NODE_COPY)
        sim_counts.copies++;
    else if (node->kind == SIM_NODE_FILL)
        sim_counts.memsets++;
    else
        sim_counts.launches++;
}

static int submit(void *stream, const struct sim_node *node, enum sim_blocking blocking)
{
    uint64_t until = 0;
    int status = SIM_OK;
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    bool captured = s && s->capture;
    if (!s) {
        status = SIM_INVALID_HANDLE;
    } else if (captured) {
        status = blocking == SIM_BLOCKS ? SIM_CAPTURE_UNSUPPORTED : sim_graph_add(s->capture->graph, node);
        sim_counts.captured += status == SIM_OK;
    } else {
        count(node);
        sim_enqueue(s, sim_node_time(node));
        until = s->busy_until;
    }
    sim_counts.kernel_calls += !status && node->kind == SIM_NODE_KERNEL;
    pthread_mutex_unlock(&sim_lock);
    if (status || captured)
        return status;
    if (blocking == SIM_BLOCKS)
        sim_block(until);
    sim_node_act(node);
    return SIM_OK;
}

int sim_launch(void *stream, struct sim_function *function)
{
    struct sim_node node = {.kind = SIM_NODE_KERNEL, .function = function, .flops = sim_take_flops()};
    return function ? submit(stream, &node, SIM_ASYNC) : SIM_INVALID_HANDLE;
}

/* A copy to or from memory that is not pinned blocks the host until the data has moved, as on a GPU. */
int sim_copy(void *stream, void *to, const void *from, size_t bytes, enum sim_blocking blocking)
{
    if (bytes && (!to || !from))
        return SIM_INVALID_VALUE;
    bool pageable = sim_memory_of(to, NULL, NULL) == SIM_MEMORY_NONE || sim_memory_of(from, NULL, NULL) == SIM_MEMORY_NONE;
    struct sim_node node = {.kind = SIM_NODE_COPY, .to = to, .from = from, .bytes = bytes};
    return submit(stream, &node, pageable ? SIM_BLOCKS : blocking);
}

/* Rows are moved one by one; the stream is given the time of the whole. Not kept in a graph: a captured one takes its time only. */
int sim_copy_2d(void *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                enum sim_blocking blocking)
{
    if (width && rows && (!to || !from || to_pitch < width || from_pitch < width))
        return SIM_INVALID_VALUE;
    if (to_pitch == width && from_pitch == width)
        return sim_copy(stream, to, from, width * rows, blocking);
    for (size_t row = 0; row < rows; row++)
        memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    struct sim_node node = {.kind = SIM_NODE_COPY, .to = to, .from = to, .bytes = width * rows};
    if (rows * to_pitch < node.bytes)
        node.bytes = 0;
    return submit(stream, &node, blocking);
}

int sim_fill(void *stream, void *to, uint32_t value, unsigned value_bytes, size_t count_, enum sim_blocking blocking)
{
    if (count_ && !to)
        return SIM_INVALID_VALUE;
    struct sim_node node = {.kind = SIM_NODE_FILL, .to = to, .bytes = count_ * value_bytes, .value = value, .value_bytes = value_bytes};
    return submit(stream, &node, blocking);
}

/* ---- Host functions run in a thread of their own when the stream has come to them; under the fake clock at once, in the caller. */

struct host_call {
    uint64_t due;
    struct sim_node node;
    struct host_call *next;
};
static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t host_more = PTHREAD_COND_INITIALIZER;
static struct host_call *host_first, **host_last = &host_first;

static void *host_thread(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&host_lock);
        while (!host_first)
            pthread_cond_wait(&host_more, &host_lock);
        struct host_call *call = host_first;
        host_first = call->next;
        if (!host_first)
            host_last = &host_first;
        pthread_mutex_unlock(&host_lock);
        sim_wait_until(call->due);
        sim_node_act(&call->node);
        free(call);
    }
    return NULL;
}

static int host_start(void)
{
    static bool started; /* under host_lock */
    pthread_t thread;
    pthread_attr_t attributes;
    if (started)
        return 0;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    started = pthread_create(&thread, &attributes, host_thread, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return started ? 0 : -1;
}

int sim_launch_host(void *stream, void (*function)(void *), void *data)
{
    struct sim_node node = {.kind = SIM_NODE_HOST, .call = function, .data = data};
    if (!function)
        return SIM_INVALID_VALUE;
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    bool capturing = s && s->capture;
    pthread_mutex_unlock(&sim_lock);
    if (!s || capturing || sim_settings()->fake_clock)
        return submit(stream, &node, SIM_ASYNC);
    struct host_call *call = calloc(1, sizeof *call);
    if (!call)
        return SIM_OUT_OF_MEMORY;
    pthread_mutex_lock(&sim_lock);
    count(&node);
    sim_enqueue(s, 0);
    *call = (struct host_call){.due = s->busy_until, .node = node};
    pthread_mutex_unlock(&sim_lock);
    pthread_mutex_lock(&host_lock);
    int failed = host_start();
    if (!failed) {
        *host_last = call;
        host_last = &call->next;
        pthread_cond_signal(&host_more);
    }
    pthread_mutex_unlock(&host_lock);
    if (failed)
        free(call);
    return failed ? SIM_OUT_OF_MEMORY : SIM_OK;
}
