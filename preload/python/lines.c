/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/lines.h"

#include "preload/python/codes.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"
#include "preload/writer/define.h"
#include "preload/writer/record.h"

#include <errno.h>

void python_lines_tell(const char *code)
{
    uint32_t id;
    if (!python_code_lines_due(code, &id))
        return;
    const char *table = python_pointer(code, ovh_layout.code_lines);
    int64_t bytes = *(const int64_t *)(const void *)(table + ovh_layout.bytes_length);
    if (bytes >= 0) /* 3.9: an empty table is a function of one line */
        ovh_define_lines(id, ovh_layout.lines, (uint32_t)python_int(code, ovh_layout.code_first_line),
                         table + ovh_layout.bytes_data, (size_t)bytes);
}

void python_write_at(struct ovh_thread *t, const char *frame, uint64_t instruction)
{
    int error = errno;
    const char *code = python_frame_code(frame);
    uint32_t offset = python_code_offset(code, instruction), words = offset >= 0xffff;
    python_lines_tell(code);
    if (ovh_unlikely(t->next >= t->limit))
        ovh_chunk_next(t); /* before: an AT is in force in its own chunk only */
    uint32_t *w = ovh_put(t, words);
    if (words)
        w[1] = offset;
    ovh_put_done(w, OVH_R_AT, words, words ? 0xffff : offset);
    t->at = instruction;
    errno = error;
}

void ovh_python_write_at(struct ovh_thread *t, uint64_t instruction)
{
    python_write_at(t, t->frame, instruction);
}
