/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/objects.h"

#include "ovh/trace.h"
#include "preload/writer/check.h"
#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OBJECTS = 4096, FOUND_BYTES = 1 << 20, PATH_BYTES = 1024 };

static struct {
    struct ovh_lock lock;   /* one thread looks at a time */
    struct ovh_lock loader; /* held while in dl_iterate_phdr: fork waits for it */
    uint32_t fork_was_busy;
    bool fork_holds;
    unsigned long long adds, subs; /* the loader's counts when we last looked */
    uint32_t n;
    uint64_t seen[OBJECTS]; /* base and path of those defined */
} o;

struct found {
    struct ovh_def_object object;
    char path[PATH_BYTES];
};
struct look {
    struct found *found;
    uint32_t n, room;
    bool changed;
};

static uint64_t key_of(uint64_t base, const char *path)
{
    return base ^ XXH64(path, strlen(path), 0);
}

static bool is_new(uint64_t key)
{
    for (uint32_t i = 0; i < o.n; i++)
        if (o.seen[i] == key)
            return false;
    return true;
}

/* The GNU build-id among the notes of one segment in memory. */
static void read_notes(struct ovh_def_object *object, const uint8_t *at, size_t bytes, size_t align)
{
    size_t mask = align == 8 ? 7 : 3;
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = (note.n_namesz + mask) & ~mask, body = (note.n_descsz + mask) & ~mask, whole = sizeof note + name + body;
        if (whole > bytes || name > bytes || body > bytes)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + sizeof note, "GNU", 4)) {
            object->build_id_bytes = note.n_descsz < 20 ? note.n_descsz : 20;
            memcpy(object->build_id, at + sizeof note + name, object->build_id_bytes);
            return;
        }
        at += whole;
        bytes -= whole;
    }
}

static void read_segments(struct ovh_def_object *object, const struct dl_phdr_info *info)
{
    uint64_t end = 0, first = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD) {
            end = p->p_vaddr + p->p_memsz > end ? p->p_vaddr + p->p_memsz : end;
            first = p->p_vaddr < first ? p->p_vaddr : first;
        } else if (p->p_type == PT_NOTE && !object->build_id_bytes) {
            read_notes(object, (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, p->p_align);
        }
    }
    if (end > first) {
        object->base = info->dlpi_addr + first;
        object->size = end - first;
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    struct look *look = data;
    if (!look->changed) {
        if (info->dlpi_adds == o.adds && info->dlpi_subs == o.subs)
            return 1;
        o.adds = info->dlpi_adds;
        o.subs = info->dlpi_subs;
        look->changed = true;
    }
    if (look->n == look->room)
        return 1;
    struct found *found = &look->found[look->n];
    strncpy(found->path, info->dlpi_name ? info->dlpi_name : "", PATH_BYTES - 1);
    read_segments(&found->object, info);
    if (is_new(key_of(found->object.base, found->path)) && o.n < OBJECTS) {
        o.seen[o.n++] = key_of(found->object.base, found->path);
        found->object.id = o.n;
        look->n++;
    } else {
        memset(found, 0, sizeof *found);
    }
    return 0;
}

static void read_link(const char *link, char *to, size_t room)
{
    ssize_t n = readlink(link, to, room - 1);
    to[n > 0 ? n : 0] = 0;
}

static void define_found(struct look *look)
{
    for (uint32_t i = 0; i < look->n; i++) {
        struct found *found = &look->found[i];
        if (!found->path[0]) /* the program itself */
            read_link("/proc/self/exe", found->path, PATH_BYTES);
        ovh_define_object(&found->object, found->path);
        ovh_versions_see(found->path);
    }
    memset(look->found, 0, look->n * sizeof *look->found);
}

void ovh_objects_define(void)
{
    uint32_t was_busy, loader_busy;
    if (!ovh_lock_take_within(&o.lock, 1, &was_busy))
        return;
    struct look look = {.room = FOUND_BYTES / sizeof(struct found)};
    look.found = mmap(0, FOUND_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (look.found != MAP_FAILED) {
        do { /* again where there were more than fit */
            look.n = 0;
            look.changed = false;
            loader_busy = ovh_lock_take(&o.loader);
            dl_iterate_phdr(visit, &look);
            ovh_lock_drop(&o.loader, loader_busy);
            if (look.n == look.room)
                o.adds = 0;
            define_found(&look);
        } while (look.changed && o.adds == 0);
        munmap(look.found, FOUND_BYTES);
    }
    ovh_lock_drop(&o.lock, was_busy);
}

uint32_t ovh_object_number(uint64_t base, const char *path)
{
    uint64_t key = key_of(base, path);
    for (uint32_t i = 0; i < o.n; i++)
        if (o.seen[i] == key)
            return i + 1;
    return 0;
}

void ovh_objects_before_fork(void)
{
    o.fork_holds = ovh_lock_take_within(&o.loader, 100, &o.fork_was_busy);
}

void ovh_objects_after_fork(void)
{
    if (o.fork_holds)
        ovh_lock_drop(&o.loader, o.fork_was_busy);
    o.fork_holds = false;
}

void ovh_objects_forked(void)
{
    o.lock.word = o.loader.word = 0;
}
