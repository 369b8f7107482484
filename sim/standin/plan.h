/* SPDX-License-Identifier: Apache-2.0
 *
 * Which stand-ins a program needs: read off the undefined symbols of the libraries that import NVIDIA's.
 */
#ifndef OVH_STANDIN_PLAN_H
#define OVH_STANDIN_PLAN_H

#include "sim/standin/elf_read.h"
#include "sim/standin/elf_write.h"

/* Symbols that the simulated libraries lack go into one more object, under the version nodes that the importers ask for. */
#define STANDIN_COMPANION "libovhsim-companion.so.1"

struct standin_library {
    char *soname;
    bool simulated; /* one of ours, complete: only named, not made */
    struct standin_symbol *symbols;
    size_t count, room;
};

struct standin_plan {
    const char *folder; /* of the simulated libraries */
    uint16_t machine;   /* of the importers; 0 before the first */
    uint64_t key;       /* hash of the importers' build-ids, the simulated libraries' and this format: names the cache */
    struct standin_library *libraries;
    size_t count;
    struct elf_file *kept; /* files whose texts the plan uses */
    size_t kept_count;
};

void standin_plan_begin(struct standin_plan *plan, const char *folder);
/* Takes in one importer. 0; -1: not an ELF file or it imports nothing of NVIDIA's (no matter); -2: out of memory, -3: damaged. */
int standin_plan_add(struct standin_plan *plan, const char *path);
/* After the last importer: what the simulated libraries lack goes to the companion. 0, or -1: out of memory. */
int standin_plan_end(struct standin_plan *plan);
/* After that: the empty function `name` returns `value`. False: no empty stand-in has it. */
bool standin_plan_returns(struct standin_plan *plan, const char *name, uint32_t value);
void standin_plan_release(struct standin_plan *plan);

#endif
