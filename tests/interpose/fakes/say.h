/* SPDX-License-Identifier: Apache-2.0
 * Every fake function says on stdout that it was really called: the truth that the trace must match. */
#include <stdio.h>
#define SAY(...) dprintf(1, "real " __VA_ARGS__)
typedef struct { unsigned x, y, z; } dim3;
