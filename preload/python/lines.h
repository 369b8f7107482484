/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_LINES_H
#define OVH_PYTHON_LINES_H

#include "preload/writer/thread.h"

/* Writes the code object's line table as it stands in the object, once for each: the reader resolves offsets to lines.
 * The code object has been given an id. Any thread; raw reads only. */
OVH_HIDDEN void python_lines_tell(const char *code);
/* Writes an AT record for `frame`, the innermost Python span, whose instruction is `instruction`, and remembers it. */
OVH_HIDDEN void python_write_at(struct ovh_thread *t, const char *frame, uint64_t instruction);

#endif
