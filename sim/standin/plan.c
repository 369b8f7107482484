/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/standin/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FORMAT "ovh stand-ins 2 " OVH_VERSION /* part of the key: another writer, another cache */

/* NVIDIA's libraries, and how the names of their functions begin: some have no version node, and then the name decides. */
static const struct family {
    const char *library, *prefix;
} families[] = {
    {"libcudart.so", "cuda"},          {"libcudart.so", "__cuda"},          {"libcublas.so", "cublas"},     {"libcublasLt.so", "cublasLt"},
    {"libcudnn", "cudnn"},             {"libcufft.so", "cufft"},            {"libcufftw.so", "fftw"},       {"libcufile", "cuFile"},
    {"libcupti.so", "cupti"},          {"libcurand.so", "curand"},          {"libcusolver", "cusolver"},    {"libcusparse.so", "cusparse"},
    {"libcusparseLt.so", "cusparseLt"}, {"libnccl.so", "nccl"},             {"libnvrtc.so", "nvrtc"},       {"libnvrtc.so", "__nvrtc"},
    {"libnvJitLink.so", "nvJitLink"},  {"libnvJitLink.so", "__nvJitLink"},  {"libnvshmem", "nvshmem"},      {"libnvToolsExt.so", "nvtx"},
    {"libnvidia-ml.so", "nvml"},       {"libcutensor", "cutensor"},         {"libnvjpeg.so", "nvjpeg"},     {"libcudss", "cudss"},
    {"libcuda.so", "cu"},              {"libnvfatbin.so", "nvFatbin"},      {"libcudadebugger", "CUDBG"},   {"libnvperf", "NVPW"},
};
#define FAMILIES (sizeof families / sizeof families[0])

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool is_nvidia(const char *library)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (begins(library, families[i].library))
            return true;
    return false;
}

void standin_plan_begin(struct standin_plan *plan, const char *folder)
{
    memset(plan, 0, sizeof *plan);
    plan->folder = folder;
    plan->key = XXH64(FORMAT, sizeof FORMAT, 0);
}

static struct standin_library *library_of(struct standin_plan *plan, const char *soname)
{
    for (size_t i = 0; i < plan->count; i++)
        if (!strcmp(plan->libraries[i].soname, soname))
            return &plan->libraries[i];
    struct standin_library *more = realloc(plan->libraries, (plan->count + 1) * sizeof *more);
    if (!more)
        return NULL;
    plan->libraries = more;
    struct standin_library *library = &more[plan->count];
    char path[4096];
    *library = (struct standin_library){.soname = strdup(soname)};
    library->simulated = snprintf(path, sizeof path, "%s/%s", plan->folder, soname) < (int)sizeof path && !access(path, R_OK);
    if (!library->soname)
        return NULL;
    plan->count++;
    return library;
}

static int add_symbol(struct standin_library *library, const char *name, const char *version)
{
    for (size_t i = 0; i < library->count; i++) {
        const struct standin_symbol *s = &library->symbols[i];
        if (!strcmp(s->name, name) && (s->version == version || (s->version && version && !strcmp(s->version, version))))
            return 0;
    }
    if (library->count == library->room) {
        size_t room = library->room ? library->room * 2 : 64;
        struct standin_symbol *symbols = realloc(library->symbols, room * sizeof *symbols);
        if (!symbols)
            return -1;
        library->symbols = symbols;
        library->room = room;
    }
    library->symbols[library->count++] = (struct standin_symbol){name, version, 0};
    return 0;
}

/* A library that lies beside its importer was brought along on purpose, under a name of its own: it stays. */
static bool bundled(const char *importer, const char *soname)
{
    char path[4096];
    const char *slash = strrchr(importer, '/');
    int folder = slash ? (int)(slash - importer) : 1;
    snprintf(path, sizeof path, "%.*s/%s", folder, slash ? importer : ".", soname);
    return access(path, F_OK) == 0;
}

/* The needed library that a symbol without version belongs to: the longest prefix decides. NULL: none of NVIDIA's. */
static const char *by_prefix(const struct elf_file *file, const char *name)
{
    const char *best = NULL;
    size_t length = 0;
    for (size_t i = 0; i < FAMILIES; i++) {
        size_t prefix = strlen(families[i].prefix);
        if (prefix <= length || !begins(name, families[i].prefix))
            continue;
        for (size_t j = 0; j < file->needed_count; j++)
            if (begins(file->needed[j], families[i].library)) {
                best = file->needed[j];
                length = prefix;
            }
    }
    /* "cu" alone is the driver only before a capital: cungqr_ is LAPACK's */
    return best && length == 2 && !(name[2] >= 'A' && name[2] <= 'Z') ? NULL : best;
}

static int keep(struct standin_plan *plan, const struct elf_file *file)
{
    struct elf_file *more = realloc(plan->kept, (plan->kept_count + 1) * sizeof *more);
    if (!more)
        return -1;
    plan->kept = more;
    more[plan->kept_count++] = *file;
    return 0;
}

static uint64_t identity(const struct elf_file *file, const char *path, uint64_t key)
{
    struct stat info;
    if (file->build_id)
        return XXH64(file->build_id, file->build_id_bytes, key);
    memset(&info, 0, sizeof info);
    if (!stat(path, &info)) { /* no build-id: size and time stand in */
        uint64_t parts[3] = {(uint64_t)info.st_size, (uint64_t)info.st_mtim.tv_sec, (uint64_t)info.st_mtim.tv_nsec};
        key = XXH64(parts, sizeof parts, key);
    }
    return key;
}

static int take_imports(struct standin_plan *plan, const struct elf_file *file, const char *path)
{
    for (size_t i = 0; i < file->needed_count; i++)
        if (is_nvidia(file->needed[i]) && !bundled(path, file->needed[i]) && !library_of(plan, file->needed[i]))
            return -2;
    for (size_t i = 0; i < file->symbol_count; i++) {
        const struct elf_symbol *s = &file->symbols[i];
        if (s->defined)
            continue;
        const char *from = s->version ? (s->file && is_nvidia(s->file) ? s->file : NULL) : by_prefix(file, s->name);
        if (!from || bundled(path, from))
            continue;
        struct standin_library *library = library_of(plan, from);
        if (!library || add_symbol(library, s->name, s->version))
            return -2;
    }
    return 0;
}

int standin_plan_add(struct standin_plan *plan, const char *path)
{
    struct elf_file file;
    enum elf_read status = elf_read(path, &file);
    if (status)
        return status == ELF_READ_NO_MEMORY ? -2 : status == ELF_READ_DAMAGED ? -3 : -1;
    bool imports = false;
    for (size_t i = 0; i < file.needed_count; i++)
        imports |= is_nvidia(file.needed[i]);
    if (!imports || (plan->machine && plan->machine != file.machine)) {
        elf_release(&file);
        return -1;
    }
    if (keep(plan, &file)) {
        elf_release(&file);
        return -2;
    }
    plan->machine = file.machine;
    plan->key = identity(&file, path, plan->key);
    return take_imports(plan, &file, path);
}

static bool offers(const struct elf_file *file, const struct standin_symbol *wanted)
{
    for (size_t i = 0; i < file->symbol_count; i++) {
        const struct elf_symbol *s = &file->symbols[i];
        if (s->defined && !strcmp(s->name, wanted->name) && (!wanted->version || (s->version && !strcmp(s->version, wanted->version))))
            return true;
    }
    return false;
}

int standin_plan_end(struct standin_plan *plan)
{
    struct standin_library companion = {.soname = strdup(STANDIN_COMPANION)};
    int failed = !companion.soname;
    for (size_t i = 0; i < plan->count && !failed; i++) {
        struct standin_library *library = &plan->libraries[i];
        char path[4096];
        struct elf_file file;
        if (!library->simulated)
            continue;
        snprintf(path, sizeof path, "%s/%s", plan->folder, library->soname);
        if (elf_read(path, &file))
            continue;
        plan->key = identity(&file, path, plan->key);
        for (size_t j = 0; j < library->count && !failed; j++)
            if (!offers(&file, &library->symbols[j]))
                failed = add_symbol(&companion, library->symbols[j].name, library->symbols[j].version);
        elf_release(&file);
    }
    struct standin_library *more = failed || !companion.count ? NULL : realloc(plan->libraries, (plan->count + 1) * sizeof *more);
    if (more) {
        plan->libraries = more;
        more[plan->count++] = companion;
        return 0;
    }
    failed |= companion.count != 0;
    free(companion.soname);
    free(companion.symbols);
    return failed ? -1 : 0;
}

bool standin_plan_returns(struct standin_plan *plan, const char *name, uint32_t value)
{
    bool found = false;
    for (size_t i = 0; i < plan->count; i++)
        for (size_t j = 0; j < plan->libraries[i].count && !plan->libraries[i].simulated; j++)
            if (!strcmp(plan->libraries[i].symbols[j].name, name)) {
                plan->libraries[i].symbols[j].returns = value;
                found = true;
            }
    if (found)
        plan->key = XXH64(&value, sizeof value, XXH64(name, strlen(name), plan->key));
    return found;
}

void standin_plan_release(struct standin_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->libraries[i].soname);
        free(plan->libraries[i].symbols);
    }
    for (size_t i = 0; i < plan->kept_count; i++)
        elf_release(&plan->kept[i]);
    free(plan->libraries);
    free(plan->kept);
    memset(plan, 0, sizeof *plan);
}
