/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_TEXT_H
#define OVH_PYTHON_TEXT_H

#include "preload/writer/thread.h"

#include <stddef.h>

/* The text of a str object as UTF-8, by raw reads: no GIL, no API, no allocation. Cut to fit `size` at a whole character; a lone
 * surrogate reads as U+FFFD; what is not a compact str as "?". Ends in a zero byte. */
OVH_HIDDEN void python_text(const char *object, char *out, size_t size);

#endif
