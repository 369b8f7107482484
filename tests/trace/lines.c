/* SPDX-License-Identifier: Apache-2.0
 *
 * For test_lines.py: reads "FORMAT FIRST_LINE CODE_BYTES TABLE_IN_HEX" lines, prints for each the source line of every second byte
 * of the code, separated by spaces (0: none).
 */
#include "analyzer/trace/lines.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    unsigned format, first, bytes;
    static uint8_t table[1 << 20];
    while (scanf("%u %u %u ", &format, &first, &bytes) == 3) {
        size_t n = 0;
        unsigned byte;
        while (n < sizeof table && scanf("%2x", &byte) == 1)
            table[n++] = (uint8_t)byte;
        scanf(" .");
        for (unsigned offset = 0; offset < bytes; offset += 2)
            printf("%u ", trace_line(format, first, table, n, offset));
        putchar('\n');
    }
    return 0;
}
