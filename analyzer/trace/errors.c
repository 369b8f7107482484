/* SPDX-License-Identifier: Apache-2.0
 *
 * One sentence per way in which a file can be wrong.
 */
#include "analyzer/trace/trace.h"

#include <stdio.h>

const char *trace_error_text(const struct trace_error *e, char *text, size_t room)
{
    switch (e->status) {
    case TRACE_FINE:
        snprintf(text, room, "fine");
        break;
    case TRACE_EMPTY:
        snprintf(text, room, "empty file: nothing was recorded into it; is the disk full, or was it just made?");
        break;
    case TRACE_NOT_A_TRACE:
        snprintf(text, room,
                 "not a trace: it does not begin with \"" OVH_TRACE_MAGIC "\"; name a file that libovh.so wrote (trace.bin)");
        break;
    case TRACE_SHORT:
        snprintf(text, room, "cut off: %u bytes are not even the file's head; copy the file again, whole", e->value);
        break;
    case TRACE_NEWER:
        snprintf(text, room, "trace format %u: this ovh-report reads formats up to %d; use the ovh-report of the ovh that wrote it",
                 e->value, OVH_TRACE_MAJOR);
        break;
    case TRACE_HEAD_DAMAGED:
        snprintf(text, room, "damaged: the file's head %s, so nothing in it can be trusted; copy the file again or record anew",
                 e->value ? "holds impossible values" : "does not fit its checksum");
        break;
    case TRACE_NO_MEMORY:
        snprintf(text, room, "not read: out of memory while indexing it; free some memory and try again");
        break;
    }
    return text;
}

const char *trace_damage_text(uint32_t kind)
{
    switch (kind) {
    case TRACE_DAMAGE_CUT:
        return "file cut off";
    case TRACE_DAMAGE_CHUNK_HEAD:
        return "chunk head damaged, chunk left out";
    case TRACE_DAMAGE_CHUNK:
        return "checksum of a sealed chunk does not fit, chunk left out";
    case TRACE_DAMAGE_CHUNK_KIND:
        return "chunk of an unknown kind, left out";
    case TRACE_DAMAGE_WORD:
        return "events that make no sense, rest of the chunk left out";
    case TRACE_DAMAGE_DUPLICATE:
        return "second chunk with the same thread and sequence, left out";
    case TRACE_DAMAGE_DEFINITION:
        return "checksum of a definition does not fit, definition left out";
    case TRACE_DAMAGE_DEFINITIONS:
        return "length of a definition makes no sense, rest of the chunk left out";
    case TRACE_DAMAGE_BODY:
        return "record too short for its type, left out";
    }
    return "damage";
}
