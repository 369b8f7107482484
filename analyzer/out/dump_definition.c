/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions as text.
 */
#include "analyzer/out/dump.h"

#include <inttypes.h>
#include <string.h>

void out_dump_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p < 0x20 || *p == 0x7f)
            fprintf(to, "\\x%02x", *p);
        else if (*p == '"' || *p == '\\')
            fprintf(to, "\\%c", *p);
        else
            fputc(*p, to);
    }
    fputc('"', to);
}

static void text(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=", name);
    out_dump_text(to, value);
}

static void bytes(FILE *to, const char *name, const uint8_t *p, size_t n)
{
    fprintf(to, " %s=", name);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%02x", p[i]);
}

static void number_or_name(FILE *to, const char *name, uint32_t number, const char *known)
{
    if (known)
        fprintf(to, " %s=%s", name, known);
    else
        fprintf(to, " %s=%u", name, number);
}

static void stack(FILE *to, const struct trace_def *d)
{
    fputs(" frames=", to);
    for (uint32_t i = 0; i < d->stack.n; i++)
        fprintf(to, "%s%u+%u", i ? "," : "", d->stack.pairs[2 * i], d->stack.pairs[2 * i + 1]);
}

static void counters(FILE *to, const struct trace_def *d)
{
    const char *name = d->counter_set.names;
    for (uint32_t i = 0; i < d->counter_set.n; i++, name += strlen(name) + 1)
        text(to, "counter", name);
}

/* Rare ones, and what a report's head is made of. */
static void about_the_run(FILE *to, const struct trace_def *d)
{
    switch (d->type) {
    case OVH_D_VALUE:
    case OVH_D_SETTINGS:
        text(to, "key", d->value.key);
        text(to, "value", d->value.value);
        break;
    case OVH_D_ANCHOR:
        fprintf(to, " tick=%" PRIu64 " monotonic=%" PRIu64 " realtime=%" PRIu64 " width=%" PRIu64, d->anchor.tick,
                d->anchor.monotonic, d->anchor.realtime, d->anchor.width);
        break;
    case OVH_D_CALIBRATION:
        number_or_name(to, "probe", d->calibration.probe, trace_probe_name(d->calibration.probe));
        fprintf(to, " rounds=%u median_ps=%" PRIu64 " low_ps=%" PRIu64 " high_ps=%" PRIu64, d->calibration.rounds,
                d->calibration.median_ps, d->calibration.low_ps, d->calibration.high_ps);
        break;
    case OVH_D_COVERAGE:
        fprintf(to, " object=%u reason=%u seen=%" PRIu64 " unseen=%" PRIu64, d->coverage.object, d->coverage.reason,
                d->coverage.seen, d->coverage.unseen);
        text(to, "text", d->coverage.text);
        break;
    case OVH_D_LOSS:
        number_or_name(to, "why", d->loss.why, trace_loss_name(d->loss.why));
        fprintf(to, " count=%" PRIu64, d->loss.count);
        text(to, "where", d->loss.where);
        break;
    case OVH_D_NOTE:
        text(to, "text", d->note.text);
        break;
    case OVH_D_END:
        fprintf(to, " tick=%" PRIu64 " reason=%u strides=%u", d->end.tick, d->end.reason, d->end.strides);
        break;
    default:
        bytes(to, "body", d->body, d->bytes);
        break;
    }
}

static void with_id(FILE *to, const struct trace_def *d)
{
    switch (d->type) {
    case OVH_D_STEP:
        number_or_name(to, "class", d->step.class_, trace_class_name(d->step.class_));
        number_or_name(to, "kind", d->step.kind, trace_kind_name(d->step.kind));
        text(to, "name", d->step.name);
        text(to, "file", d->step.file);
        fprintf(to, " line=%u object=%u", d->step.first_line, d->step.object);
        break;
    case OVH_D_THREAD:
        fprintf(to, " %s=%" PRIu64 " tid=%u", d->arg == 1 ? "ended" : "began", d->thread.tick, d->thread.tid);
        text(to, "name", d->thread.name);
        break;
    case OVH_D_OBJECT:
        fprintf(to, " base=0x%" PRIx64 " size=0x%" PRIx64, d->object.base, d->object.size);
        bytes(to, "build_id", d->object.build_id, d->object.build_id_bytes);
        text(to, "path", d->object.path);
        break;
    case OVH_D_LINES:
        fprintf(to, " format=%u line=%u", d->lines.format, d->lines.first_line);
        bytes(to, "table", d->lines.table, d->lines.bytes);
        break;
    case OVH_D_MODULE:
        fprintf(to, " parent=%u", d->module.parent);
        text(to, "name", d->module.name);
        text(to, "type", d->module.type);
        break;
    case OVH_D_RANGE:
        fprintf(to, " colour=0x%x", d->range.colour);
        text(to, "domain", d->range.domain);
        text(to, "name", d->range.name);
        break;
    case OVH_D_GPU_CLOCK:
        fprintf(to, " gpu_time=%" PRIu64 " tick=%" PRIu64, d->gpu_clock.gpu_time, d->gpu_clock.tick);
        break;
    default:
        text(to, "name", d->type == OVH_D_KERNEL ? d->kernel.name : d->name.text);
        break;
    }
}

static bool has_id(uint32_t type)
{
    return type == OVH_D_STEP || type == OVH_D_THREAD || type == OVH_D_OBJECT || type == OVH_D_KERNEL || type == OVH_D_LINES ||
           type == OVH_D_MODULE || type == OVH_D_RANGE || type == OVH_D_NAME || type == OVH_D_GPU_CLOCK || type == OVH_D_STACK ||
           type == OVH_D_COUNTER_SET;
}

void out_dump_definition(FILE *to, const struct trace_def *d)
{
    const char *name = trace_def_name(d->type);
    fputs("def ", to);
    if (name)
        fputs(name, to);
    else
        fprintf(to, "TYPE_%u arg=%u", d->type, d->arg);
    if (has_id(d->type))
        fprintf(to, " id=%u", d->id);
    if (d->type == OVH_D_STACK)
        stack(to, d);
    else if (d->type == OVH_D_COUNTER_SET)
        counters(to, d);
    else if (has_id(d->type))
        with_id(to, d);
    else
        about_the_run(to, d);
    fputc('\n', to);
}
