/* SPDX-License-Identifier: Apache-2.0
 *
 * Which streams are capturing, as far as this process's calls tell: begin and end of a capture, and the streams that joined it by
 * waiting for an event recorded in it. CUDA is never asked. While nothing captures, each question is one load.
 */
#ifndef OVH_CUDA_STREAMS_H
#define OVH_CUDA_STREAMS_H

#include "preload/writer/thread.h"

extern OVH_HIDDEN unsigned ovh_captures; /* streams and events that belong to a capture now */

OVH_HIDDEN OVH_COLD void ovh_capture_begin(uint64_t stream);
OVH_HIDDEN OVH_COLD void ovh_capture_end(uint64_t stream);
OVH_HIDDEN OVH_COLD void ovh_capture_event(uint64_t event, uint64_t stream);
OVH_HIDDEN OVH_COLD void ovh_capture_join(uint64_t stream, uint64_t event);
/* The stream was destroyed: another one may get its handle. Where it began a capture, that one will not be ended through it. */
OVH_HIDDEN OVH_COLD void ovh_capture_gone(uint64_t stream);
OVH_HIDDEN OVH_COLD bool ovh_capture_has(uint64_t stream);

/* A stream handle as it is kept: in functions of the per-thread default stream, 0 means that stream. */
static inline uint64_t ovh_stream(uint64_t stream, bool per_thread)
{
    return per_thread && !stream ? 2 : stream; /* cudaStreamPerThread */
}

static inline bool ovh_captured(uint64_t stream)
{
    return ovh_unlikely(__atomic_load_n(&ovh_captures, __ATOMIC_RELAXED) != 0) && ovh_capture_has(stream);
}

#endif
