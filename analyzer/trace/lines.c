/* SPDX-License-Identifier: Apache-2.0
 *
 * The three line tables of CPython (docs/trace-format.md, section 5.2).
 */
#include "analyzer/trace/lines.h"

#include "ovh/trace.h"

#include <stdbool.h>

static uint32_t as_line(int64_t line)
{
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t line_lnotab(uint32_t first_line, const uint8_t *table, size_t bytes, uint32_t offset)
{
    int64_t line = first_line;
    uint64_t at = 0;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        at += table[i];
        if (at > offset)
            break;
        line += (int8_t)table[i + 1];
    }
    return as_line(line);
}

static uint32_t line_310(uint32_t first_line, const uint8_t *table, size_t bytes, uint32_t offset)
{
    int64_t line = first_line;
    uint64_t at = 0;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        int8_t change = (int8_t)table[i + 1];
        if (change != -128)
            line += change;
        at += table[i];
        if (offset < at)
            return change == -128 ? 0 : as_line(line);
    }
    return 0;
}

/* Signed varint at table[*i]; stops at the end and at a byte that begins an entry. */
static int64_t signed_varint(const uint8_t *table, size_t bytes, size_t *i)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *i < bytes && !(table[*i] & 0x80) && shift < 60; shift += 6) {
        uint8_t byte = table[(*i)++];
        value |= (uint64_t)(byte & 0x3f) << shift;
        if (!(byte & 0x40))
            break;
    }
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static uint32_t line_311(uint32_t first_line, const uint8_t *table, size_t bytes, uint32_t offset)
{
    int64_t line = first_line;
    uint64_t at = 0;
    for (size_t i = 0; i < bytes;) {
        uint8_t first = table[i++];
        if (!(first & 0x80))
            return 0; /* not the beginning of an entry */
        uint32_t code = first >> 3 & 15;
        bool none = code == 15;
        if (code == 14 || code == 13)
            line += signed_varint(table, bytes, &i);
        else if (code >= 10 && code <= 12)
            line += code - 10;
        at += ((first & 7) + 1) * 2;
        if (offset < at)
            return none ? 0 : as_line(line);
        while (i < bytes && !(table[i] & 0x80))
            i++;
    }
    return 0;
}

uint32_t trace_line(uint32_t format, uint32_t first_line, const uint8_t *table, size_t bytes, uint32_t offset)
{
    switch (format) {
    case OVH_LINES_LNOTAB:
        return line_lnotab(first_line, table, bytes, offset);
    case OVH_LINES_LINETABLE_310:
        return line_310(first_line, table, bytes, offset);
    case OVH_LINES_LOCATIONS_311:
        return line_311(first_line, table, bytes, offset);
    default:
        return 0;
    }
}
