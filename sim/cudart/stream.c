/* SPDX-License-Identifier: Apache-2.0
 *
 * libcudart: streams, events, capture and graphs, each through the driver's function of that purpose.
 */
#include "sim/cudart/runtime.h"

#define THROUGH(name, parameters, call) \
    cudaError_t name parameters \
    { \
        RUNTIME_CALL(name); \
        return done(driver()->call); \
    }

THROUGH(cudaStreamCreate, (cudaStream_t * stream), cuStreamCreate(stream, 0))
THROUGH(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), cuStreamCreate(stream, flags))
THROUGH(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
        cuStreamCreateWithPriority(stream, flags, priority))
THROUGH(cudaStreamDestroy, (cudaStream_t stream), cuStreamDestroy_v2(stream))
THROUGH(cudaStreamQuery, (cudaStream_t stream), cuStreamQuery(stream))
THROUGH(cudaStreamSynchronize, (cudaStream_t stream), cuStreamSynchronize(stream))
THROUGH(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), cuStreamWaitEvent(stream, event, flags))
THROUGH(cudaStreamGetPriority, (cudaStream_t stream, int *priority), cuStreamGetPriority(stream, priority))
THROUGH(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), cuStreamGetFlags(stream, flags))
THROUGH(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), cuStreamGetId(stream, id))

THROUGH(cudaEventCreate, (cudaEvent_t * event), cuEventCreate(event, 0))
THROUGH(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), cuEventCreate(event, flags))
THROUGH(cudaEventDestroy, (cudaEvent_t event), cuEventDestroy_v2(event))
THROUGH(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), cuEventRecord(event, stream))
THROUGH(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), cuEventRecordWithFlags(event, stream, flags))
THROUGH(cudaEventQuery, (cudaEvent_t event), cuEventQuery(event))
THROUGH(cudaEventSynchronize, (cudaEvent_t event), cuEventSynchronize(event))
THROUGH(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), cuEventElapsedTime(ms, start, end))
THROUGH(cudaEventElapsedTime_v2, (float *ms, cudaEvent_t start, cudaEvent_t end), cuEventElapsedTime(ms, start, end))

THROUGH(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
        cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode))
THROUGH(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), cuStreamEndCapture(stream, graph))
THROUGH(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
        cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)(void *)status))
THROUGH(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode),
        cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)(void *)mode))

#define INFO(status, id, graph, dependencies, count) \
    cuStreamGetCaptureInfo_v2(stream, (CUstreamCaptureStatus *)(void *)(status), (cuuint64_t *)(void *)(id), graph, dependencies, count)
#define FULL_INFO \
    (cudaStream_t stream, enum cudaStreamCaptureStatus * status, unsigned long long *id, cudaGraph_t *graph, \
     const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count)
#if SIM_CUDA == 12
THROUGH(cudaStreamGetCaptureInfo, (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id),
        INFO(status, id, NULL, NULL, NULL))
#else
THROUGH(cudaStreamGetCaptureInfo, FULL_INFO, INFO(status, id, graph, dependencies, count))
#endif
THROUGH(cudaStreamGetCaptureInfo_v2,
        (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
         const cudaGraphNode_t **dependencies, size_t *count),
        INFO(status, id, graph, dependencies, count))
THROUGH(cudaStreamGetCaptureInfo_v3, FULL_INFO, INFO(status, id, graph, dependencies, count))

THROUGH(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), cuGraphCreate(graph, flags))
THROUGH(cudaGraphDestroy, (cudaGraph_t graph), cuGraphDestroy(graph))
THROUGH(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
        cuGraphInstantiateWithFlags(exec, graph, flags))
THROUGH(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
        cuGraphInstantiateWithFlags(exec, graph, flags))
THROUGH(cudaGraphExecDestroy, (cudaGraphExec_t exec), cuGraphExecDestroy(exec))
THROUGH(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), cuGraphLaunch(exec, stream))
THROUGH(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count), cuGraphGetNodes(graph, nodes, count))
