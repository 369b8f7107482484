/* SPDX-License-Identifier: Apache-2.0
 *
 * Checksums would keep a fuzzer out: makes those of a would-be trace right, chunk kinds and numbers among them. Every target reads its
 * input twice, as it is and repaired.
 */
#ifndef OVH_FUZZ_REPAIR_H
#define OVH_FUZZ_REPAIR_H

#include <stddef.h>
#include <stdint.h>

/* In place; never beyond `size`. Chunks have OVH_CHUNK_BYTES_MIN bytes afterwards, threads are 1 to 4. */
void repair(uint8_t *bytes, size_t size);

/* Calls `read` with a copy of the input, then with the repaired copy. */
void repair_and_read(const uint8_t *bytes, size_t size, void (*read)(const uint8_t *bytes, size_t size));

#endif
