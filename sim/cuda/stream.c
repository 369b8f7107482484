/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: streams, events, capture and graphs.
 */
#include "sim/cuda/driver.h"

#define EVENT(handle) ((struct sim_event *)(void *)(handle))
#define GRAPH(handle) ((struct sim_graph *)(void *)(handle))
#define EXEC(handle) ((struct sim_graph_exec *)(void *)(handle))

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    DRIVER_CALL(cuStreamCreate);
    return sim_stream_create((struct sim_stream **)(void *)phStream, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    DRIVER_CALL(cuStreamCreateWithPriority);
    return sim_stream_create((struct sim_stream **)(void *)phStream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream hStream)
{
    DRIVER_CALL(cuStreamDestroy_v2);
    return sim_stream_destroy(hStream);
}

CUresult cuStreamQuery(CUstream hStream)
{
    DRIVER_CALL(cuStreamQuery);
    return sim_stream_query(hStream);
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    DRIVER_CALL(cuStreamSynchronize);
    return sim_stream_synchronize(hStream);
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
    DRIVER_CALL(cuStreamGetPriority);
    return sim_stream_priority(hStream, priority);
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    DRIVER_CALL(cuStreamGetFlags);
    return sim_stream_flags(hStream, flags);
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    DRIVER_CALL(cuStreamGetId);
    return sim_stream_id(hStream, streamId);
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    DRIVER_CALL(cuStreamGetCtx);
    if (!pctx)
        return SIM_INVALID_VALUE;
    *pctx = SIM_CONTEXT;
    return SIM_OK;
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    DRIVER_CALL(cuStreamWaitEvent);
    return sim_stream_wait_event(hStream, EVENT(hEvent));
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    DRIVER_CALL(cuEventCreate);
    return sim_event_create((struct sim_event **)(void *)phEvent, Flags);
}

CUresult cuEventDestroy_v2(CUevent hEvent)
{
    DRIVER_CALL(cuEventDestroy_v2);
    return sim_event_destroy(EVENT(hEvent));
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
    DRIVER_CALL(cuEventRecord);
    return sim_event_record(EVENT(hEvent), hStream);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    DRIVER_CALL(cuEventRecordWithFlags);
    return sim_event_record(EVENT(hEvent), hStream);
}

CUresult cuEventQuery(CUevent hEvent)
{
    DRIVER_CALL(cuEventQuery);
    return sim_event_query(EVENT(hEvent));
}

CUresult cuEventSynchronize(CUevent hEvent)
{
    DRIVER_CALL(cuEventSynchronize);
    return sim_event_synchronize(EVENT(hEvent));
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    DRIVER_CALL(cuEventElapsedTime);
    return sim_event_elapsed(pMilliseconds, EVENT(hStart), EVENT(hEnd));
}

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    DRIVER_CALL(cuEventElapsedTime_v2);
    return sim_event_elapsed(pMilliseconds, EVENT(hStart), EVENT(hEnd));
}

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    DRIVER_CALL(cuStreamBeginCapture_v2);
    return sim_capture_begin(hStream, (int)mode);
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    DRIVER_CALL(cuStreamEndCapture);
    return sim_capture_end(hStream, (struct sim_graph **)(void *)phGraph);
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    DRIVER_CALL(cuStreamIsCapturing);
    int status, result = sim_capture_info(hStream, &status, NULL, NULL);
    if (!captureStatus)
        return SIM_INVALID_VALUE;
    *captureStatus = status;
    return result;
}

/* Dependencies are not kept: a capture is a list. */
static CUresult capture_info(CUstream stream, CUstreamCaptureStatus *status_out, cuuint64_t *id_out, CUgraph *graph_out,
                             const CUgraphNode **dependencies_out, size_t *count_out)
{
    int status;
    unsigned long long id = 0;
    struct sim_graph *graph = NULL;
    CUresult result = sim_capture_info(stream, &status, &id, &graph);
    if (!status_out)
        return SIM_INVALID_VALUE;
    *status_out = status;
    if (id_out)
        *id_out = id;
    if (graph_out)
        *graph_out = (CUgraph)(void *)graph;
    if (dependencies_out)
        *dependencies_out = NULL;
    if (count_out)
        *count_out = 0;
    return result;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
    DRIVER_CALL(cuStreamGetCaptureInfo_v2);
    return capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out)
{
    DRIVER_CALL(cuStreamGetCaptureInfo_v3);
    if (edgeData_out)
        *edgeData_out = NULL;
    return capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    DRIVER_CALL(cuThreadExchangeStreamCaptureMode);
    static __thread int thread_mode; /* global */
    if (!mode)
        return SIM_INVALID_VALUE;
    int old = thread_mode;
    thread_mode = (int)*mode;
    *mode = old;
    return SIM_OK;
}

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    DRIVER_CALL(cuGraphCreate);
    return sim_graph_create((struct sim_graph **)(void *)phGraph);
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
    DRIVER_CALL(cuGraphDestroy);
    return sim_graph_destroy(GRAPH(hGraph));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    DRIVER_CALL(cuGraphInstantiateWithFlags);
    return sim_graph_instantiate((struct sim_graph_exec **)(void *)phGraphExec, GRAPH(hGraph));
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    DRIVER_CALL(cuGraphExecDestroy);
    return sim_graph_exec_destroy(EXEC(hGraphExec));
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    DRIVER_CALL(cuGraphLaunch);
    return sim_graph_launch(EXEC(hGraphExec), hStream);
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    DRIVER_CALL(cuGraphGetNodes);
    if (!numNodes)
        return SIM_INVALID_VALUE;
    *numNodes = sim_graph_nodes(GRAPH(hGraph), (void **)nodes, nodes ? *numNodes : 0);
    return SIM_OK;
}
