/* SPDX-License-Identifier: Apache-2.0
 *
 * XXH32 with seed 0, the only checksum of the trace. Header-only, allocates nothing.
 */
#ifndef OVH_WRITER_CHECK_H
#define OVH_WRITER_CHECK_H

#define XXH_INLINE_ALL
#define XXH_FORCE_MEMORY_ACCESS 0 /* memcpy: reading our structs as its own packed type would break strict aliasing */
#define XXH_NO_STREAM_ALLOC
#include <xxhash.h>

#endif
