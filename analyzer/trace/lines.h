/* SPDX-License-Identifier: Apache-2.0
 *
 * Code offset -> source line, from the tables that CPython keeps in its code objects (LINES definitions).
 */
#ifndef TRACE_LINES_H
#define TRACE_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Line of the instruction at `offset` (bytes from the start of the code), or 0: it has none, the table ends before it, or makes no
 * sense. format: enum ovh_lines. */
uint32_t trace_line(uint32_t format, uint32_t first_line, const uint8_t *table, size_t bytes, uint32_t offset);

#endif
