/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/cuda/objects.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

struct walk {
    int (*each)(const struct ovh_object *, void *);
    void *arg;
};

static void object_of(const struct dl_phdr_info *info, struct ovh_object *o)
{
    *o = (struct ovh_object){.base = info->dlpi_addr,
                             .low = UINTPTR_MAX,
                             .path = info->dlpi_name ? info->dlpi_name : "",
                             .segments = info->dlpi_phdr,
                             .segment_count = info->dlpi_phnum};
    for (unsigned i = 0; i < o->segment_count; i++) {
        const ElfW(Phdr) *p = &o->segments[i];
        uintptr_t start = o->base + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            o->dynamic = (const ElfW(Dyn) *)start;
        if (p->p_type != PT_LOAD)
            continue;
        if (start < o->low)
            o->low = start;
        if (start + p->p_memsz > o->high)
            o->high = start + p->p_memsz;
    }
}

/* The loader's list lock is recursive, but a signal between its taking and the noting of its owner would let a handler that makes a hooked
 * call wait for this thread itself. So signals wait: whoever comes here is on a slow way. */
static void iterate(int (*each)(struct dl_phdr_info *, size_t, void *), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    dl_iterate_phdr(each, arg);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

static int walk_one(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct walk *w = arg;
    struct ovh_object o;
    object_of(info, &o);
    return w->each(&o, w->arg);
}

void ovh_objects_each(int (*each)(const struct ovh_object *, void *), void *arg)
{
    struct walk w = {each, arg};
    iterate(walk_one, &w);
}

struct hold {
    void (*body)(void *);
    void *arg;
};

static int hold_once(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct hold *h = arg;
    h->body(h->arg);
    return 1;
}

void ovh_objects_hold(void (*body)(void *), void *arg)
{
    struct hold h = {body, arg};
    iterate(hold_once, &h);
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *arg)
{
    *(struct ovh_object_changes *)arg = (struct ovh_object_changes){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

struct ovh_object_changes ovh_objects_changes(void)
{
    struct ovh_object_changes n = {0};
    iterate(read_changes, &n);
    return n;
}

struct find {
    uintptr_t address;
    const char *soname;
    struct ovh_object *found;
    bool done;
};

static bool holds(const struct ovh_object *o, uintptr_t address)
{
    if (address < o->low || address >= o->high)
        return false;
    for (unsigned i = 0; i < o->segment_count; i++) {
        const ElfW(Phdr) *p = &o->segments[i];
        if (p->p_type == PT_LOAD && address - o->base - p->p_vaddr < p->p_memsz)
            return true;
    }
    return false;
}

static int find_at(const struct ovh_object *o, void *arg)
{
    struct find *f = arg;
    if (!holds(o, f->address))
        return 0;
    *f->found = *o;
    return f->done = true;
}

bool ovh_object_at(const void *address, struct ovh_object *found)
{
    struct find f = {.address = (uintptr_t)address, .found = found};
    ovh_objects_each(find_at, &f);
    return f.done;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int find_named(const struct ovh_object *o, void *arg)
{
    struct find *f = arg;
    if (strcmp(ovh_object_soname(o), f->soname) && strcmp(file_of(o->path), f->soname))
        return 0;
    *f->found = *o;
    return f->done = true;
}

bool ovh_object_named(const char *soname, struct ovh_object *found)
{
    struct find f = {.soname = soname, .found = found};
    ovh_objects_each(find_named, &f);
    return f.done;
}

/* ---- the dynamic section. The loader has relocated its pointers in place where the section is writable (not in the vDSO). ---- */

static const void *dynamic_pointer(const struct ovh_object *o, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return (const void *)(d->d_un.d_ptr < o->base ? o->base + d->d_un.d_ptr : d->d_un.d_ptr);
    return 0;
}

static const char *dynamic_text(const struct ovh_object *o, ElfW(Sxword) tag, unsigned n)
{
    const char *strings = dynamic_pointer(o, DT_STRTAB);
    for (const ElfW(Dyn) *d = o->dynamic; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag && n-- == 0)
            return strings + d->d_un.d_val;
    return 0;
}

const char *ovh_object_soname(const struct ovh_object *o)
{
    const char *soname = dynamic_text(o, DT_SONAME, 0);
    return soname ? soname : file_of(o->path);
}

const char *ovh_object_needed(const struct ovh_object *o, unsigned n)
{
    return dynamic_text(o, DT_NEEDED, n);
}

struct symbols {
    const ElfW(Sym) *table;
    const char *strings;
    const ElfW(Versym) *versions;
    const ElfW(Sym) *hidden; /* a match of a version that is not the default one */
};

static const ElfW(Sym) *match(struct symbols *s, uint32_t i, const char *name)
{
    const ElfW(Sym) *y = &s->table[i];
    unsigned type = ELF64_ST_TYPE(y->st_info);
    if (y->st_shndx == SHN_UNDEF || !y->st_value || (type != STT_FUNC && type != STT_NOTYPE))
        return 0;
    if (ELF64_ST_BIND(y->st_info) == STB_LOCAL || strcmp(s->strings + y->st_name, name))
        return 0;
    if (s->versions && s->versions[i] & 0x8000) {
        s->hidden = y;
        return 0;
    }
    return y;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

/* DT_GNU_HASH: bucket count, first hashed symbol, words of the Bloom filter, shift; filter; buckets; chains. */
static const ElfW(Sym) *find_gnu(struct symbols *s, const uint32_t *table, const char *name)
{
    uint32_t buckets = table[0], first = table[1], bloom_words = table[2], h = gnu_hash(name);
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(bloom + bloom_words), *chain = bucket + buckets;
    unsigned bits = 8 * sizeof *bloom;
    ElfW(Addr) mask = (ElfW(Addr))1 << h % bits | (ElfW(Addr))1 << (h >> table[3]) % bits;
    if (!buckets || !bloom_words || (bloom[h / bits % bloom_words] & mask) != mask)
        return 0;
    uint32_t i = bucket[h % buckets];
    if (i < first)
        return 0;
    for (;; i++) {
        uint32_t other = chain[i - first];
        const ElfW(Sym) *y = (other | 1) == (h | 1) ? match(s, i, name) : 0;
        if (y || other & 1)
            return y;
    }
}

static const ElfW(Sym) *find_sysv(struct symbols *s, const uint32_t *table, const char *name)
{
    uint32_t h = 0, buckets = table[0];
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        h = (h << 4) + *c;
        h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
    }
    for (uint32_t i = buckets ? table[2 + h % buckets] : 0; i; i = table[2 + buckets + i]) {
        const ElfW(Sym) *y = match(s, i, name);
        if (y)
            return y;
    }
    return 0;
}

void *ovh_object_symbol(const struct ovh_object *o, const char *name)
{
    struct symbols s = {.table = dynamic_pointer(o, DT_SYMTAB), .strings = dynamic_pointer(o, DT_STRTAB), .versions = dynamic_pointer(o, DT_VERSYM)};
    const uint32_t *gnu = dynamic_pointer(o, DT_GNU_HASH), *sysv = dynamic_pointer(o, DT_HASH);
    if (!s.table || !s.strings)
        return 0;
    const ElfW(Sym) *y = gnu ? find_gnu(&s, gnu, name) : sysv ? find_sysv(&s, sysv, name) : 0;
    if (!y)
        y = s.hidden;
    return y ? (void *)(o->base + y->st_value) : 0;
}

/* ---- relocations that hold a function's address ---- */

#if defined(__x86_64__)
#define HOLDS_ADDRESS(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#else
#define HOLDS_ADDRESS(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#endif

static size_t dynamic_number(const struct ovh_object *o, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_val;
    return 0;
}

void ovh_object_imports(const struct ovh_object *o, void (*each)(const char *name, const void *bound, void *arg), void *arg)
{
    static const ElfW(Sxword) tables[][2] = {{DT_JMPREL, DT_PLTRELSZ}, {DT_RELA, DT_RELASZ}};
    const ElfW(Sym) *symbols = dynamic_pointer(o, DT_SYMTAB);
    const char *strings = dynamic_pointer(o, DT_STRTAB);
    for (unsigned t = 0; t < 2 && symbols && strings; t++) {
        const ElfW(Rela) *r = dynamic_pointer(o, tables[t][0]), *end = r + (r ? dynamic_number(o, tables[t][1]) / sizeof *r : 0);
        for (; r < end; r++) {
            const ElfW(Sym) *y = &symbols[ELF64_R_SYM(r->r_info)];
            if (HOLDS_ADDRESS(ELF64_R_TYPE(r->r_info)) && ELF64_R_SYM(r->r_info) && y->st_shndx == SHN_UNDEF)
                each(strings + y->st_name, *(const void *const *)(o->base + r->r_offset), arg);
        }
    }
}

/* ---- names of files. cuDNN is one library in several files: libcudnn.so.9 hands on to libcudnn_ops.so.9 and the like. ---- */

enum ovh_library ovh_library_of(const char *soname)
{
    static const struct { const char *stem; enum ovh_library library; } known[] = {
        {"libcuda", OVH_LIBRARY_DRIVER},
        {"libcudart", OVH_LIBRARY_CUDART},
        {"libcublas", OVH_LIBRARY_CUBLAS},
        {"libcublasLt", OVH_LIBRARY_CUBLASLT},
        {"libcudnn", OVH_LIBRARY_CUDNN},
        {"libnccl", OVH_LIBRARY_NCCL},
        {"libcusparse", OVH_LIBRARY_CUSPARSE},
        {"libcusolver", OVH_LIBRARY_CUSOLVER},
        {"libcufft", OVH_LIBRARY_CUFFT},
        {"libcurand", OVH_LIBRARY_CURAND},
        {"libnvrtc", OVH_LIBRARY_NVRTC},
    };
    if (strncmp(soname, "lib", 3))
        return OVH_LIBRARY_OTHER;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].stem);
        if (!strncmp(soname, known[i].stem, n) &&
            (soname[n] == '.' || soname[n] == '-' || (soname[n] == '_' && known[i].library == OVH_LIBRARY_CUDNN)) && strstr(soname + n, ".so"))
            return known[i].library;
    }
    return OVH_LIBRARY_OTHER;
}

struct ovh_versions ovh_versions_of(const char *soname)
{
    const char *end = strstr(soname, ".so.");
    int major = 0;
    if (end && ovh_library_of(soname) != OVH_LIBRARY_DRIVER)
        for (end += 4; *end >= '0' && *end <= '9' && major < 1000; end++)
            major = major * 10 + (*end - '0');
    return major ? (struct ovh_versions){major * 1000, major * 1000 + 999} : OVH_VERSIONS_UNKNOWN;
}

extern const char ovh_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char ovh_finish[] __asm__("_end") __attribute__((visibility("hidden")));

bool ovh_is_ours(const void *address)
{
    return (const char *)address >= ovh_start && (const char *)address < ovh_finish;
}
