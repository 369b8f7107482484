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
/* An instance of nn.Module: by what name which other one holds it (0: none known). The last definition of an id counts. */
OVH_HIDDEN void ovh_define_module(uint32_t id, uint32_t parent, const char *name, const char *type);
/* How many calls of an object (0: see the text) hooks saw, and how many they could not see, and why. */
OVH_HIDDEN void ovh_define_coverage(uint32_t object, uint32_t reason, uint64_t seen, uint64_t unseen, const char *text);
OVH_HIDDEN void ovh_note(const char *text);                /* for the report's head: a mechanism turned off, and why */
OVH_HIDDEN void ovh_lost(enum ovh_loss why, uint64_t count, const char *where);

/* ---- for writer/ itself ---- */
OVH_HIDDEN void ovh_define_setting(const char *variable, const char *value);
OVH_HIDDEN void ovh_define_thread(uint32_t number, uint32_t tid, bool ended, const char *name);
OVH_HIDDEN void ovh_define_hook_step(uint32_t id, enum ovh_class class_, enum ovh_kind kind, const char *name, const char *library);
OVH_HIDDEN void ovh_define_object(const struct ovh_def_object *object, const char *path);
OVH_HIDDEN void ovh_define_anchor(const struct ovh_def_anchor *anchor);
OVH_HIDDEN void ovh_define_calibration(const struct ovh_def_calibration *calibration);
OVH_HIDDEN void ovh_define_loss(enum ovh_loss why, uint64_t count, const char *where);
OVH_HIDDEN void ovh_define_end(uint64_t tick, enum ovh_end reason, uint32_t strides);
/* The file's first definition chunk is there: what was kept so far goes into it, and what this process inherited by fork. */
OVH_HIDDEN void ovh_define_open(struct ovh_chunk_head *first, uint32_t payload_bytes);
/* In the child of a fork: the parent's definitions are kept for our own file; nothing is written into the parent's. */
OVH_HIDDEN void ovh_define_forked(void);

#endif
