/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/standin/elf_read.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file and its dynamic section. Every access goes through `at` or `text`, which check. */
struct reader {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Phdr *segments;
    size_t segment_count;
    uint64_t symtab, strtab, strtab_bytes, versym, verneed, verdef, hash, gnu_hash;
    uint64_t verneed_count, verdef_count;
};

static const void *at(const struct reader *r, uint64_t offset, uint64_t bytes)
{
    return offset <= r->size && bytes <= r->size - offset ? r->bytes + offset : NULL;
}

/* File bytes of a virtual address; NULL where they are not in the file or not aligned as their type wants. */
static const void *address(const struct reader *r, uint64_t address_, uint64_t bytes, size_t align)
{
    for (size_t i = 0; i < r->segment_count; i++) {
        const Elf64_Phdr *p = &r->segments[i];
        if (p->p_type == PT_LOAD && address_ >= p->p_vaddr && address_ - p->p_vaddr < p->p_filesz &&
            bytes <= p->p_filesz - (address_ - p->p_vaddr))
            return (p->p_offset + (address_ - p->p_vaddr)) % align ? NULL : at(r, p->p_offset + (address_ - p->p_vaddr), bytes);
    }
    return NULL;
}

/* A text of the string table that ends within it. */
static const char *text(const struct reader *r, uint64_t offset)
{
    if (offset >= r->strtab_bytes)
        return NULL;
    const char *s = address(r, r->strtab + offset, 1, 1);
    return s && address(r, r->strtab + offset, r->strtab_bytes - offset, 1) && memchr(s, 0, r->strtab_bytes - offset) ? s : NULL;
}

static const Elf64_Phdr *segment(const struct reader *r, uint32_t type, size_t from)
{
    for (size_t i = from; i < r->segment_count; i++)
        if (r->segments[i].p_type == type)
            return &r->segments[i];
    return NULL;
}

static enum elf_read open_reader(struct reader *r, struct elf_file *file)
{
    const Elf64_Ehdr *head = at(r, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
        return ELF_READ_NOT_ELF;
    if (head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff % 8)
        return ELF_READ_DAMAGED;
    r->segments = at(r, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr));
    r->segment_count = r->segments ? head->e_phnum : 0;
    file->machine = head->e_machine;
    return r->segments ? ELF_READ_FINE : ELF_READ_DAMAGED;
}

/* Two rounds: the string table's place must be known before a text can be read. */
static enum elf_read read_dynamic(struct reader *r, struct elf_file *file)
{
    const Elf64_Phdr *p = segment(r, PT_DYNAMIC, 0);
    const Elf64_Dyn *dynamic = p && p->p_offset % 8 == 0 ? at(r, p->p_offset, p->p_filesz) : NULL;
    size_t count = dynamic ? p->p_filesz / sizeof *dynamic : 0;
    if (!p)
        return ELF_READ_FINE; /* a static program: it wants nothing */
    if (!dynamic)
        return ELF_READ_DAMAGED;
    struct {
        int64_t tag;
        uint64_t *to;
    } wanted[] = {{DT_SYMTAB, &r->symtab}, {DT_STRTAB, &r->strtab}, {DT_STRSZ, &r->strtab_bytes}, {DT_VERSYM, &r->versym},
                  {DT_VERNEED, &r->verneed}, {DT_VERNEEDNUM, &r->verneed_count}, {DT_VERDEF, &r->verdef},
                  {DT_VERDEFNUM, &r->verdef_count}, {DT_HASH, &r->hash}, {DT_GNU_HASH, &r->gnu_hash}};
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
        file->needed_count += dynamic[i].d_tag == DT_NEEDED;
        for (size_t j = 0; j < sizeof wanted / sizeof wanted[0]; j++)
            if (dynamic[i].d_tag == wanted[j].tag)
                *wanted[j].to = dynamic[i].d_un.d_val;
    }
    file->needed = calloc(file->needed_count + 1, sizeof *file->needed);
    if (!file->needed)
        return ELF_READ_NO_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++)
        if (dynamic[i].d_tag == DT_NEEDED && !(file->needed[n++] = text(r, dynamic[i].d_un.d_val)))
            return ELF_READ_DAMAGED;
    return ELF_READ_FINE;
}

/* By the section headers, where the file has kept them. 0: not. */
static size_t count_by_section(const struct reader *r)
{
    const Elf64_Ehdr *head = at(r, 0, sizeof *head);
    const Elf64_Shdr *sections = head->e_shentsize == sizeof *sections && head->e_shoff && head->e_shoff % 8 == 0
                                     ? at(r, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections)
                                     : NULL;
    for (size_t i = 0; sections && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_addr == r->symtab)
            return sections[i].sh_size / sizeof(Elf64_Sym);
    return 0;
}

/* The dynamic section does not say how many symbols there are; the section headers and the hash tables do. */
static size_t count_symbols(const struct reader *r)
{
    size_t count = count_by_section(r);
    if (count)
        return count;
    const uint32_t *head = r->hash ? address(r, r->hash, 8, 4) : NULL;
    if (head)
        return head[1];
    head = r->gnu_hash ? address(r, r->gnu_hash, 16, 4) : NULL;
    if (!head)
        return 0;
    uint64_t buckets_at = r->gnu_hash + 16 + (uint64_t)head[2] * 8, chains_at = buckets_at + (uint64_t)head[0] * 4;
    const uint32_t *buckets = address(r, buckets_at, (uint64_t)head[0] * 4, 4);
    uint32_t last = 0;
    for (uint32_t i = 0; buckets && i < head[0]; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < head[1]) /* nothing is exported, and the linker need not say more: the texts follow the symbols */
        return r->strtab > r->symtab ? (r->strtab - r->symtab) / sizeof(Elf64_Sym) : head[1];
    for (const uint32_t *chain;; last++) {
        chain = address(r, chains_at + (uint64_t)(last - head[1]) * 4, 4, 4);
        if (!chain || (*chain & 1))
            return (size_t)last + 1;
    }
}

/* Fills in the version of symbol number `index`. */
static void find_version(const struct reader *r, size_t index, struct elf_symbol *symbol)
{
    const uint16_t *number = r->versym ? address(r, r->versym + index * 2, 2, 2) : NULL;
    unsigned wanted = number ? *number & 0x7fff : 0;
    if (wanted < 2)
        return;
    uint64_t at_ = r->verneed;
    for (uint64_t i = 0; i < r->verneed_count && !symbol->defined; i++) {
        const Elf64_Verneed *need = address(r, at_, sizeof *need, 4);
        uint64_t aux_at = need ? at_ + need->vn_aux : 0;
        for (unsigned j = 0; need && j < need->vn_cnt; j++) {
            const Elf64_Vernaux *aux = address(r, aux_at, sizeof *aux, 4);
            if (aux && aux->vna_other == wanted) {
                symbol->version = text(r, aux->vna_name);
                symbol->file = text(r, need->vn_file);
                return;
            }
            aux_at += aux ? aux->vna_next : 0;
        }
        if (!need || !need->vn_next)
            return;
        at_ += need->vn_next;
    }
    at_ = r->verdef;
    for (uint64_t i = 0; i < r->verdef_count && symbol->defined; i++) {
        const Elf64_Verdef *def = address(r, at_, sizeof *def, 4);
        const Elf64_Verdaux *aux = def ? address(r, at_ + def->vd_aux, sizeof *aux, 4) : NULL;
        if (aux && def->vd_ndx == wanted)
            symbol->version = text(r, aux->vda_name);
        if (!def || !def->vd_next)
            return;
        at_ += def->vd_next;
    }
}

static enum elf_read read_symbols(const struct reader *r, struct elf_file *file)
{
    size_t count = r->symtab ? count_symbols(r) : 0;
    if (count > r->size / sizeof(Elf64_Sym))
        return ELF_READ_DAMAGED;
    file->symbols = calloc(count + 1, sizeof *file->symbols);
    if (!file->symbols)
        return ELF_READ_NO_MEMORY;
    for (size_t i = 1; i < count; i++) {
        const Elf64_Sym *s = address(r, r->symtab + i * sizeof *s, sizeof *s, 8);
        const char *name = s ? text(r, s->st_name) : NULL;
        if (!name)
            return ELF_READ_DAMAGED;
        unsigned bind = ELF64_ST_BIND(s->st_info), type = ELF64_ST_TYPE(s->st_info);
        if (!*name || bind == STB_LOCAL || (bind == STB_WEAK && s->st_shndx == SHN_UNDEF))
            continue; /* a weak wish may stay unfulfilled, and programs ask whether it is */
        struct elf_symbol *symbol = &file->symbols[file->symbol_count++];
        *symbol = (struct elf_symbol){.name = name, .defined = s->st_shndx != SHN_UNDEF,
                                      .function = type != STT_OBJECT && type != STT_TLS};
        find_version(r, i, symbol);
    }
    return ELF_READ_FINE;
}

static void read_build_id(const struct reader *r, struct elf_file *file)
{
    for (size_t i = 0; i < r->segment_count; i++) {
        const Elf64_Phdr *p = &r->segments[i];
        uint64_t offset = p->p_offset, end = p->p_offset + p->p_filesz;
        while (p->p_type == PT_NOTE && offset + sizeof(Elf64_Nhdr) <= end) {
            const Elf64_Nhdr *note = offset % 4 == 0 ? at(r, offset, sizeof *note) : NULL;
            if (!note)
                break;
            uint64_t name = offset + sizeof *note, body = name + ((uint64_t)note->n_namesz + 3) / 4 * 4;
            const uint8_t *id = at(r, body, note->n_descsz);
            const char *owner = at(r, name, note->n_namesz);
            if (id && owner && note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(owner, "GNU", 4)) {
                file->build_id = id;
                file->build_id_bytes = note->n_descsz;
                return;
            }
            offset = body + ((uint64_t)note->n_descsz + 3) / 4 * 4;
        }
    }
}

static enum elf_read map_file(const char *path, struct elf_file *file)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) || !S_ISREG(info.st_mode)) {
        if (fd >= 0)
            close(fd);
        return ELF_READ_NO_FILE;
    }
    file->map_bytes = (size_t)info.st_size;
    file->map = file->map_bytes ? mmap(NULL, file->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file->map != MAP_FAILED)
        return ELF_READ_FINE;
    file->map = NULL;
    return file->map_bytes ? ELF_READ_NO_MEMORY : ELF_READ_NOT_ELF;
}

enum elf_read elf_read(const char *path, struct elf_file *file)
{
    memset(file, 0, sizeof *file);
    enum elf_read status = map_file(path, file);
    struct reader r = {.bytes = file->map, .size = file->map_bytes};
    if (!status)
        status = open_reader(&r, file);
    if (!status)
        status = read_dynamic(&r, file);
    if (!status)
        status = read_symbols(&r, file);
    if (status)
        elf_release(file);
    else
        read_build_id(&r, file);
    return status;
}

void elf_release(struct elf_file *file)
{
    free(file->needed);
    free(file->symbols);
    if (file->map)
        munmap(file->map, file->map_bytes);
    memset(file, 0, sizeof *file);
}
