/* SPDX-License-Identifier: Apache-2.0
 *
 * The object, in file order: ELF head, segments, DT_HASH, symbols, versions of the symbols, version definitions, texts (all one
 * read-only segment); the code, one function for all that return 0 and one for each that does not; the dynamic section. The three
 * loadable segments follow each other in the file without gaps; in memory each begins a page further on, and pages are 64 KiB at most
 * on both architectures.
 */
#include "sim/standin/elf_write.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 0x10000ull
#define SEGMENTS 5
#define NODE_FIRST 2 /* version number 1 is the object itself */
#define CODE_BYTES 16 /* room for one function */

/* Where the parts lie in the file, and what goes into them. */
struct plan {
    const char *soname;
    const struct standin_symbol *symbols;
    size_t count;
    const char **nodes; /* distinct versions */
    size_t node_count;
    uint64_t code_bytes;
    uint64_t hash, symtab, versym, verdef, strtab, code_at, dynamic, end;
    uint64_t strtab_bytes, dynamic_count;
};

static unsigned long elf_hash(const char *name)
{
    unsigned long h = 0, g;
    for (; *name; name++) {
        h = (h << 4) + (unsigned char)*name;
        g = h & 0xf0000000;
        h = (h ^ g >> 24) & ~g;
    }
    return h;
}

static uint64_t aligned(uint64_t offset, uint64_t to)
{
    return (offset + to - 1) / to * to;
}

static size_t node_of(const struct plan *p, const char *version)
{
    size_t i = 0;
    while (i < p->node_count && strcmp(p->nodes[i], version))
        i++;
    return i;
}

static size_t buckets(const struct plan *p)
{
    return p->count / 2 + 1;
}

/* The memory address of a file offset: +0, +1 or +2 pages, by segment. */
static uint64_t code_address(const struct plan *p)
{
    return p->code_at + PAGE;
}
static uint64_t dynamic_address(const struct plan *p)
{
    return p->dynamic + 2 * PAGE;
}

/* A function that returns `value`. */
static void write_code(uint16_t machine, uint32_t value, uint8_t *out)
{
    if (machine == EM_X86_64) {
        out[0] = 0xb8; /* mov eax, value: clears the upper half of rax */
        memcpy(out + 1, &value, 4);
        out[5] = 0xc3; /* ret */
        return;
    }
    const uint32_t code[] = {
        0xd2800000u | (value & 0xffff) << 5, /* movz x0, #low */
        0xf2a00000u | value >> 16 << 5,      /* movk x0, #high, lsl #16 */
        0xd65f03c0u,                         /* ret */
    };
    memcpy(out, code, sizeof code);
}

static int lay_out(struct plan *p)
{
    p->nodes = calloc(p->count + 1, sizeof *p->nodes);
    if (!p->nodes)
        return -1;
    p->code_bytes = CODE_BYTES;
    uint64_t texts = 1 + strlen(p->soname) + 1;
    for (size_t i = 0; i < p->count; i++) {
        const char *version = p->symbols[i].version;
        texts += strlen(p->symbols[i].name) + 1;
        p->code_bytes += p->symbols[i].returns ? CODE_BYTES : 0;
        if (version && node_of(p, version) == p->node_count) {
            p->nodes[p->node_count++] = version;
            texts += strlen(version) + 1;
        }
    }
    p->strtab_bytes = texts;
    p->hash = aligned(sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr), 8);
    p->symtab = aligned(p->hash + (2 + buckets(p) + p->count + 1) * 4, 8);
    p->versym = p->symtab + (p->count + 1) * sizeof(Elf64_Sym);
    p->verdef = aligned(p->versym + (p->node_count ? (p->count + 1) * 2 : 0), 8);
    p->strtab = p->verdef + (p->node_count ? (p->node_count + 1) * (sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux)) : 0);
    p->code_at = aligned(p->strtab + p->strtab_bytes, 16);
    p->dynamic = aligned(p->code_at + p->code_bytes, 16);
    p->dynamic_count = p->node_count ? 10 : 7;
    p->end = p->dynamic + p->dynamic_count * sizeof(Elf64_Dyn);
    return 0;
}

static void write_head(const struct plan *p, uint16_t machine, uint8_t *out)
{
    Elf64_Ehdr *head = (Elf64_Ehdr *)(void *)out;
    memcpy(head->e_ident, ELFMAG, SELFMAG);
    head->e_ident[EI_CLASS] = ELFCLASS64;
    head->e_ident[EI_DATA] = ELFDATA2LSB;
    head->e_ident[EI_VERSION] = EV_CURRENT;
    head->e_type = ET_DYN;
    head->e_machine = machine;
    head->e_version = EV_CURRENT;
    head->e_ehsize = sizeof *head;
    head->e_phoff = sizeof *head;
    head->e_phentsize = sizeof(Elf64_Phdr);
    head->e_phnum = SEGMENTS;
    head->e_shentsize = sizeof(Elf64_Shdr); /* there are no sections */
    uint64_t dynamic_bytes = p->end - p->dynamic;
    const Elf64_Phdr segments[SEGMENTS] = {
        {PT_LOAD, PF_R, 0, 0, 0, p->code_at, p->code_at, PAGE},
        {PT_LOAD, PF_R | PF_X, p->code_at, code_address(p), code_address(p), p->code_bytes, p->code_bytes, PAGE},
        {PT_LOAD, PF_R | PF_W, p->dynamic, dynamic_address(p), dynamic_address(p), dynamic_bytes, dynamic_bytes, PAGE},
        {PT_DYNAMIC, PF_R | PF_W, p->dynamic, dynamic_address(p), dynamic_address(p), dynamic_bytes, dynamic_bytes, 8},
        {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16},
    };
    memcpy(out + sizeof *head, segments, sizeof segments);
}

/* Appends a text to the string table; returns its offset there. */
static uint32_t put_text(const struct plan *p, uint8_t *out, uint64_t *used, const char *text)
{
    uint64_t at = *used;
    memcpy(out + p->strtab + at, text, strlen(text) + 1);
    *used += strlen(text) + 1;
    return (uint32_t)at;
}

static void write_symbols(const struct plan *p, uint16_t machine, uint8_t *out, uint64_t *used)
{
    uint64_t last = 0; /* the code last written, from code_at */
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)(out + p->symtab);
    uint32_t *hash = (uint32_t *)(void *)(out + p->hash);
    uint16_t *versions = (uint16_t *)(void *)(out + p->versym);
    uint32_t *bucket = hash + 2, *chain = bucket + buckets(p);
    hash[0] = (uint32_t)buckets(p);
    hash[1] = (uint32_t)p->count + 1;
    for (size_t i = 0; i < p->count; i++) {
        const struct standin_symbol *s = &p->symbols[i];
        uint32_t number = (uint32_t)i + 1;
        uint64_t code = s->returns ? last += CODE_BYTES : 0;
        write_code(machine, s->returns, out + p->code_at + code);
        /* Section numbers mean nothing without sections, but 0 would mean undefined. */
        symbols[number] = (Elf64_Sym){put_text(p, out, used, s->name), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, 1,
                                      code_address(p) + code, CODE_BYTES};
        if (p->node_count)
            versions[number] = (uint16_t)(s->version ? NODE_FIRST + node_of(p, s->version) : VER_NDX_GLOBAL);
        size_t b = elf_hash(s->name) % buckets(p);
        chain[number] = bucket[b];
        bucket[b] = number;
    }
}

static void write_versions(const struct plan *p, uint8_t *out, uint64_t *used, uint32_t soname_at)
{
    uint8_t *at = out + p->verdef;
    for (size_t i = 0; i <= p->node_count; i++) {
        const char *name = i ? p->nodes[i - 1] : p->soname;
        Elf64_Verdef *def = (Elf64_Verdef *)(void *)at;
        Elf64_Verdaux *aux = (Elf64_Verdaux *)(void *)(at + sizeof *def);
        *def = (Elf64_Verdef){VER_DEF_CURRENT, i ? 0 : VER_FLG_BASE, (Elf64_Half)(i + 1), 1, (Elf64_Word)elf_hash(name), sizeof *def,
                              i < p->node_count ? sizeof *def + sizeof *aux : 0};
        *aux = (Elf64_Verdaux){i ? put_text(p, out, used, name) : soname_at, 0};
        at += sizeof *def + sizeof *aux;
    }
}

static void write_dynamic(const struct plan *p, uint8_t *out, uint32_t soname_at)
{
    Elf64_Dyn *d = (Elf64_Dyn *)(void *)(out + p->dynamic);
    *d++ = (Elf64_Dyn){DT_SONAME, {soname_at}};
    *d++ = (Elf64_Dyn){DT_HASH, {p->hash}};
    *d++ = (Elf64_Dyn){DT_STRTAB, {p->strtab}};
    *d++ = (Elf64_Dyn){DT_STRSZ, {p->strtab_bytes}};
    *d++ = (Elf64_Dyn){DT_SYMTAB, {p->symtab}};
    *d++ = (Elf64_Dyn){DT_SYMENT, {sizeof(Elf64_Sym)}};
    if (p->node_count) {
        *d++ = (Elf64_Dyn){DT_VERSYM, {p->versym}};
        *d++ = (Elf64_Dyn){DT_VERDEF, {p->verdef}};
        *d++ = (Elf64_Dyn){DT_VERDEFNUM, {p->node_count + 1}};
    }
    *d = (Elf64_Dyn){DT_NULL, {0}};
}

uint8_t *standin_write(const char *soname, uint16_t machine, const struct standin_symbol *symbols, size_t count, size_t *bytes)
{
    struct plan p = {.soname = soname, .symbols = symbols, .count = count};
    if (machine != EM_X86_64 && machine != EM_AARCH64)
        return NULL;
    uint8_t *out = lay_out(&p) ? NULL : calloc(1, p.end);
    if (out) {
        uint64_t used = 1; /* offset 0 is the empty text */
        uint32_t soname_at = put_text(&p, out, &used, soname);
        write_head(&p, machine, out);
        write_symbols(&p, machine, out, &used);
        if (p.node_count)
            write_versions(&p, out, &used, soname_at);
        write_dynamic(&p, out, soname_at);
        *bytes = p.end;
    }
    free(p.nodes);
    return out;
}
