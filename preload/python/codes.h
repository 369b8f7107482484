/* SPDX-License-Identifier: Apache-2.0
 *
 * Code object -> step id. A table in memory of our own, keyed by the object's address, read without a lock.
 *
 * Addresses of dead code objects are reused, so an attached thread takes a reference at first sight, for good: at most
 * PYTHON_CODES_MAX of them. A walker without the GIL cannot; it copies the names at once (its frame keeps the code alive meanwhile)
 * and keeps a fingerprint, which is compared whenever the address shows up again, until somebody attached takes the reference.
 */
#ifndef OVH_PYTHON_CODES_H
#define OVH_PYTHON_CODES_H

#include "preload/python/modules.h"
#include "preload/writer/thread.h"

#include <stdint.h>

#define PYTHON_CODES_MAX 65536u /* later ones share one step, and are counted as OVH_LOSS_IDS */

/* The functions that are called again and again, in four pages: the table of all, of a program that has called some ten thousand, is
 * spread over hundreds, and a hot function's place there may be taken. Written and read by attached threads only. */
#define PYTHON_CODES_HOT_BITS 10
struct python_hot_code {
    uintptr_t code; /* a reference is held */
    uint32_t id;    /* and the bits of modules.h */
    uint8_t short_calls; /* in a row: short_calls.h */
};
extern OVH_HIDDEN struct python_hot_code ovh_hot_codes[1 << PYTHON_CODES_HOT_BITS];

/* Allocates the first table. False: no memory. */
OVH_HIDDEN OVH_COLD bool python_codes_start(void);
OVH_HIDDEN void python_codes_forked(void);
/* The interpreter and its objects are gone: nothing that is known holds for the next one. No other thread is in Python. */
OVH_HIDDEN OVH_COLD void python_codes_ended(void);
/* Everything that is not among the hot ones, with the bits of modules.h. Attached threads only. Keeps errno. 0: ids have run out. */
OVH_HIDDEN uint32_t python_code_find(const char *code);
/* The id alone, for a thread that may hold no GIL: always checks what has no reference, takes one if `attached`. */
OVH_HIDDEN uint32_t python_code_walked(const char *code, bool attached);
/* True once for each code object: the caller is to write its line table. Any thread. */
OVH_HIDDEN bool python_code_lines_due(const char *code, uint32_t *id);

static inline struct python_hot_code *python_hot_code_place(const char *code)
{
    return &ovh_hot_codes[((uintptr_t)code >> 4) * 0x9e3779b97f4a7c15ull >> (64 - PYTHON_CODES_HOT_BITS)];
}

/* The id, with the bits of modules.h; `hot`: the code's place. Attached threads only. */
static inline uint32_t python_code_id(const char *code, const struct python_hot_code *hot)
{
    return ovh_likely(hot->code == (uintptr_t)code) ? hot->id : python_code_find(code);
}

#endif
