/* SPDX-License-Identifier: Apache-2.0
 *
 * What a shared object or program wants from others, and what it offers: read from the file, which is never loaded or run.
 */
#ifndef OVH_STANDIN_ELF_READ_H
#define OVH_STANDIN_ELF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbol {
    const char *name;
    const char *version; /* NULL: none */
    const char *file;    /* undefined symbols with a version: the library that is to have it */
    bool defined;
    bool function; /* not data, as far as the entry says; undefined ones often say nothing and count as functions */
};

struct elf_file {
    /* All texts point into the mapped file. */
    const char **needed; /* DT_NEEDED */
    size_t needed_count;
    struct elf_symbol *symbols;
    size_t symbol_count;
    const uint8_t *build_id; /* NULL: none */
    size_t build_id_bytes;
    uint16_t machine; /* EM_* */
    void *map;
    size_t map_bytes;
};

enum elf_read { ELF_READ_FINE, ELF_READ_NOT_ELF, ELF_READ_DAMAGED, ELF_READ_NO_FILE, ELF_READ_NO_MEMORY };

/* Reads 64-bit little-endian ELF with a dynamic section. On ELF_READ_FINE the caller calls elf_release. */
enum elf_read elf_read(const char *path, struct elf_file *file);
void elf_release(struct elf_file *file);

#endif
