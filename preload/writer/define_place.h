/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_DEFINE_PLACE_H
#define OVH_WRITER_DEFINE_PLACE_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"
#include <stddef.h>

/* One piece of a definition's body: `bytes` bytes, and a zero byte after them where it is a text. */
struct ovh_part {
    const void *start;
    size_t bytes;
    bool text;
};

/* Writes one record into the definition chunk, or keeps it until there is a file. False: there was no room. */
OVH_HIDDEN bool ovh_define_place(enum ovh_def type, uint16_t arg, const struct ovh_part *parts, int n);

#endif
