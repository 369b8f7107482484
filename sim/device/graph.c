/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream capture and graphs. A graph is the list of its nodes in the order of capture; a launch runs them one after another (branches
 * that a GPU would run side by side are not told apart) and takes one place in the stream's queue.
 */
#include "sim/device/state.h"
#include <stdlib.h>
#include <string.h>

#define GRAPH_MAGIC 0x48505247u
#define EXEC_MAGIC 0x43455845u

struct sim_graph {
    uint32_t magic;
    struct sim_node *nodes;
    size_t count, room;
};
struct sim_graph_exec {
    uint32_t magic;
    struct sim_graph graph; /* its own copy */
};

static unsigned long long next_capture = 1;

int sim_graph_create(struct sim_graph **out)
{
    if (!out)
        return SIM_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return SIM_OUT_OF_MEMORY;
    (*out)->magic = GRAPH_MAGIC;
    return SIM_OK;
}

int sim_graph_add(struct sim_graph *graph, const struct sim_node *node)
{
    if (graph->count == graph->room) {
        size_t room = graph->room ? graph->room * 2 : 64;
        struct sim_node *nodes = realloc(graph->nodes, room * sizeof *nodes);
        if (!nodes)
            return SIM_OUT_OF_MEMORY;
        graph->nodes = nodes;
        graph->room = room;
    }
    graph->nodes[graph->count++] = *node;
    return SIM_OK;
}

int sim_graph_destroy(struct sim_graph *graph)
{
    if (!graph || graph->magic != GRAPH_MAGIC)
        return SIM_INVALID_VALUE;
    graph->magic = 0;
    free(graph->nodes);
    free(graph);
    return SIM_OK;
}

size_t sim_graph_nodes(struct sim_graph *graph, void **nodes, size_t room)
{
    if (!graph || graph->magic != GRAPH_MAGIC)
        return 0;
    for (size_t i = 0; nodes && i < graph->count && i < room; i++)
        nodes[i] = &graph->nodes[i];
    return graph->count;
}

int sim_graph_instantiate(struct sim_graph_exec **out, struct sim_graph *graph)
{
    if (!out || !graph || graph->magic != GRAPH_MAGIC)
        return SIM_INVALID_VALUE;
    struct sim_graph_exec *exec = calloc(1, sizeof *exec);
    struct sim_node *nodes = malloc((graph->count ? graph->count : 1) * sizeof *nodes);
    if (!exec || !nodes) {
        free(exec);
        free(nodes);
        return SIM_OUT_OF_MEMORY;
    }
    if (graph->count)
        memcpy(nodes, graph->nodes, graph->count * sizeof *nodes);
    *exec = (struct sim_graph_exec){.magic = EXEC_MAGIC, .graph = {GRAPH_MAGIC, nodes, graph->count, graph->count}};
    *out = exec;
    return SIM_OK;
}

int sim_graph_exec_destroy(struct sim_graph_exec *exec)
{
    if (!exec || exec->magic != EXEC_MAGIC)
        return SIM_INVALID_VALUE;
    exec->magic = 0;
    free(exec->graph.nodes);
    free(exec);
    return SIM_OK;
}

int sim_graph_launch(struct sim_graph_exec *exec, void *stream)
{
    if (!exec || exec->magic != EXEC_MAGIC)
        return SIM_INVALID_VALUE;
    uint64_t ns = 0;
    int status = SIM_OK;
    for (size_t i = 0; i < exec->graph.count; i++)
        ns += sim_node_time(&exec->graph.nodes[i]);
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    bool captured = s && s->capture;
    for (size_t i = 0; captured && !status && i < exec->graph.count; i++) {
        status = sim_graph_add(s->capture->graph, &exec->graph.nodes[i]);
        sim_counts.captured += status == SIM_OK;
    }
    if (s && !captured) {
        sim_counts.launches++;
        sim_counts.graph_nodes += exec->graph.count;
        sim_enqueue(s, ns);
    }
    sim_counts.graph_calls += s && !status;
    pthread_mutex_unlock(&sim_lock);
    for (size_t i = 0; s && !captured && i < exec->graph.count; i++)
        sim_node_act(&exec->graph.nodes[i]);
    return s ? status : SIM_INVALID_HANDLE;
}

int sim_capture_begin(void *stream, int mode)
{
    struct sim_capture *capture = calloc(1, sizeof *capture);
    int status = capture ? sim_graph_create(&capture->graph) : SIM_OUT_OF_MEMORY;
    if (!status) {
        pthread_mutex_lock(&sim_lock);
        struct sim_stream *s = sim_stream_of(stream);
        if (!s || s->capture || s == sim_stream_of((void *)1)) { /* the legacy stream cannot be captured */
            status = !s ? SIM_INVALID_HANDLE : SIM_CAPTURE_UNSUPPORTED;
        } else {
            capture->id = next_capture++;
            capture->origin = s;
            s->capture = capture;
        }
        pthread_mutex_unlock(&sim_lock);
    }
    if (status && capture) {
        if (capture->graph)
            sim_graph_destroy(capture->graph);
        free(capture);
    }
    return status;
}

int sim_capture_end(void *stream, struct sim_graph **out)
{
    if (!out)
        return SIM_INVALID_VALUE;
    int status = SIM_OK;
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    struct sim_capture *capture = s ? s->capture : NULL;
    if (!s)
        status = SIM_INVALID_HANDLE;
    else if (!capture)
        status = SIM_INVALID_VALUE;
    else if (capture->origin != s)
        status = SIM_CAPTURE_UNMATCHED;
    for (struct sim_stream *other = sim_stream_all(); other && !status; other = other->next)
        if (other->capture == capture)
            other->capture = NULL;
    pthread_mutex_unlock(&sim_lock);
    *out = status ? NULL : capture->graph;
    if (!status)
        free(capture);
    return status;
}

int sim_capture_info(void *stream, int *status, unsigned long long *id, struct sim_graph **graph)
{
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    struct sim_capture *capture = s ? s->capture : NULL;
    if (status)
        *status = capture != NULL;
    if (id && capture)
        *id = capture->id;
    if (graph && capture)
        *graph = capture->graph;
    pthread_mutex_unlock(&sim_lock);
    return s ? SIM_OK : SIM_INVALID_HANDLE;
}
