/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a line table: no read outside of it, no overflow.
 */
#include "analyzer/trace/lines.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint32_t first;
    if (size < 5)
        return 0;
    memcpy(&first, bytes + 1, sizeof first);
    uint8_t *table = malloc(size - 5 ? size - 5 : 1);
    if (!table)
        return 0;
    memcpy(table, bytes + 5, size - 5);
    for (uint32_t offset = 0; offset < 2 * size; offset += 2)
        trace_line(bytes[0] % 4, first, table, size - 5, offset);
    free(table);
    return 0;
}
