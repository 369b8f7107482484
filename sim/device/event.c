/* SPDX-License-Identifier: Apache-2.0
 *
 * Events: the simulated time at which the stream comes to them.
 */
#include "sim/device/state.h"
#include <stdlib.h>

#define EVENT_MAGIC 0x544e5645u

static struct sim_event *checked(struct sim_event *event)
{
    return event && event->magic == EVENT_MAGIC ? event : NULL;
}

int sim_event_create(struct sim_event **out, unsigned flags)
{
    if (!out)
        return SIM_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return SIM_OUT_OF_MEMORY;
    (*out)->magic = EVENT_MAGIC;
    (*out)->flags = flags;
    return SIM_OK;
}

int sim_event_destroy(struct sim_event *event)
{
    if (!checked(event))
        return SIM_INVALID_HANDLE;
    event->magic = 0;
    free(event);
    return SIM_OK;
}

int sim_event_record(struct sim_event *event, void *stream)
{
    if (!checked(event))
        return SIM_INVALID_HANDLE;
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    if (s && s->capture) {
        event->capture = s->capture->id;
    } else if (s) {
        uint64_t now = ovh_sim_ticks(), ready = sim_stream_ready(s);
        event->capture = 0;
        event->time = ready > now ? ready : now;
        event->recorded = true;
    }
    pthread_mutex_unlock(&sim_lock);
    return s ? SIM_OK : SIM_INVALID_HANDLE;
}

/* An event that was never recorded counts as done. */
int sim_event_query(struct sim_event *event)
{
    if (!checked(event))
        return SIM_INVALID_HANDLE;
    pthread_mutex_lock(&sim_lock);
    int status = event->capture ? SIM_CAPTURED_EVENT : event->recorded && event->time > ovh_sim_ticks() ? SIM_NOT_READY : SIM_OK;
    pthread_mutex_unlock(&sim_lock);
    return status;
}

int sim_event_synchronize(struct sim_event *event)
{
    if (!checked(event))
        return SIM_INVALID_HANDLE;
    pthread_mutex_lock(&sim_lock);
    int status = event->capture ? SIM_CAPTURED_EVENT : SIM_OK;
    uint64_t until = event->recorded ? event->time : 0;
    pthread_mutex_unlock(&sim_lock);
    if (!status)
        sim_block(until);
    return status;
}

int sim_event_elapsed(float *ms, struct sim_event *start, struct sim_event *end)
{
    if (!ms)
        return SIM_INVALID_VALUE;
    if (!checked(start) || !checked(end))
        return SIM_INVALID_HANDLE;
    pthread_mutex_lock(&sim_lock);
    int status = SIM_OK;
    if (!start->recorded || !end->recorded || start->capture || end->capture || ((start->flags | end->flags) & SIM_EVENT_DISABLE_TIMING))
        status = SIM_INVALID_HANDLE;
    else if (start->time > ovh_sim_ticks() || end->time > ovh_sim_ticks())
        status = SIM_NOT_READY;
    else
        *ms = (float)(((double)end->time - (double)start->time) / 1e6);
    pthread_mutex_unlock(&sim_lock);
    return status;
}

/* The id of a capture that is still going on, or NULL. With the lock held. */
static struct sim_capture *capture_of(unsigned long long id)
{
    for (struct sim_stream *s = sim_stream_all(); s; s = s->next)
        if (s->capture && s->capture->id == id)
            return s->capture;
    return NULL;
}

int sim_stream_wait_event(void *stream, struct sim_event *event)
{
    if (!checked(event))
        return SIM_INVALID_HANDLE;
    int status = SIM_OK;
    pthread_mutex_lock(&sim_lock);
    struct sim_stream *s = sim_stream_of(stream);
    struct sim_capture *capture = event->capture ? capture_of(event->capture) : NULL;
    if (!s)
        status = SIM_INVALID_HANDLE;
    else if (capture)
        s->capture = capture; /* the waiting stream joins the capture */
    else if (event->capture)
        status = SIM_CAPTURED_EVENT;
    else if (!s->capture && event->recorded && event->time > s->busy_until)
        s->busy_until = event->time;
    pthread_mutex_unlock(&sim_lock);
    return status;
}
