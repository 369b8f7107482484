/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a shared object that exports named functions, each of which returns a number: a stand-in for a library whose work nobody needs.
 * No compiler or linker takes part. The object is loadable by glibc on x86-64 and aarch64.
 */
#ifndef OVH_STANDIN_ELF_WRITE_H
#define OVH_STANDIN_ELF_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct standin_symbol {
    const char *name;
    const char *version; /* version node, or NULL for an unversioned symbol */
    uint32_t returns;    /* what the function returns, for a caller that takes it as 32 or 64 bits */
};

/* Makes the object's bytes in memory that the caller frees; NULL: out of memory, or `machine` is neither EM_X86_64 nor EM_AARCH64.
 * Names and versions need not be sorted; one name may come with several versions. */
uint8_t *standin_write(const char *soname, uint16_t machine, const struct standin_symbol *symbols, size_t count, size_t *bytes);

#endif
