/* SPDX-License-Identifier: Apache-2.0
 *
 * Definitions: said once in the trace, then referred to by id. Cold: each takes a lock and copies text into a definition chunk.
 * All may be called by any thread, with or without `busy`, before the file exists (they are kept and written when it opens; what
 * would open the file is a hooked call only), and never fail for the caller: what cannot be kept is counted.
 * Texts are copied; NULL reads as "". Unprintable bytes are the reader's problem.
 */
#ifndef OVH_WRITER_DEFINE_H
#define OVH_WRITER_DEFINE_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"
#include <stddef.h>

/* A new step (a Python function ...). Returns its id, 0 when ids have run out. Hooks' steps have fixed ids: see hooks.h. */
OVH_HIDDEN uint32_t ovh_define_step(enum ovh_class class_, enum ovh_kind kind, const char *name, const char *file, uint32_t first_line);
OVH_HIDDEN uint32_t ovh_define_kernel(const char *name);   /* mangled name of device code -> id */
OVH_HIDDEN uint32_t ovh_define_name(const char *text);     /* any text -> id */
OVH_HIDDEN uint32_t ovh_define_stack(uint32_t n, const uint32_t *steps_and_offsets); /* n pairs, outermost first -> id */
OVH_HIDDEN void ovh_define_lines(uint32_t step, enum ovh_lines format, uint32_t first_line, const void *table, size_t bytes);
OVH_HIDDEN void ovh_define_value(const char *key, const char *value);
OVH_HIDDEN void ovh_define_range(uint32_t id, uint32_t colour, const char *domain, const char *name);
OVH_HIDDEN void ovh_note(const char *text);                /* for the report's head: a mechanism turned off, and why */
OVH_HIDDEN void ovh_lost(enum ovh_loss why, uint64_t count, const char *where);

#endif
