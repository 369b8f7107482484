/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of libraries, told by the paths they are mapped from: the number behind .so, and for what came as a wheel the name of the
 * *.dist-info folder beside it (torch-2.11.0.dist-info). Nothing is imported. Called by one thread at a time (objects.c).
 */
#include "preload/writer/objects.h"

#include "preload/writer/define.h"
#include "preload/writer/text.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DIGITS_MAX = 48 };

static struct row {
    const char *key;
    const char *mapped;       /* the library's file begins with this, or (ends in /) a folder of site-packages has this name */
    const char *distribution; /* folder NAME-version.dist-info; a name may go on with _ or a digit: nvidia_cublas_cu12, cupy_cuda13x */
    bool said;
} rows[] = {
    {"torch", "torch/", "torch-", false},
    {"transformer_engine", "transformer_engine/", "transformer_engine-", false},
    {"transformer_engine", "transformer_engine/", "transformer_engine_cu", false},
    {"cupy", "cupy/", "cupy", false},
    {"triton", "triton/", "triton-", false},
    {"jax", "jaxlib/", "jax-", false},
    {"numpy", "numpy/", "numpy-", false},
    {"cuda.runtime", "libcudart.so.", "nvidia_cuda_runtime", false},
    {"cublas", "libcublas.so.", "nvidia_cublas", false},
    {"cublaslt", "libcublasLt.so.", "nvidia_cublas", false},
    {"cudnn", "libcudnn.so.", "nvidia_cudnn", false},
    {"nccl", "libnccl.so.", "nvidia_nccl", false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void say(struct row *row, const char *version, size_t n)
{
    char text[DIGITS_MAX + 1];
    if (!strcmp(row->key, "cuda.runtime")) { /* 13.0 of 13.0.96 */
        size_t major = strcspn(version, ".");
        if (major + 1 < n)
            n = major + 1 + strspn(version + major + 1, "0123456789");
    }
    snprintf(text, sizeof text, "%.*s", (int)(n < DIGITS_MAX ? n : DIGITS_MAX), version);
    ovh_define_value(row->key, text);
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(rows[i].key, row->key))
            rows[i].said = true;
}

struct search {
    struct row *row;
    bool found;
};

static bool see_distribution(const char *name, void *data)
{
    struct search *search = data;
    size_t n = strlen(name), prefix = strlen(search->row->distribution), suffix = strlen(".dist-info");
    if (strncmp(name, search->row->distribution, prefix) != 0 || n < suffix || strcmp(name + n - suffix, ".dist-info") != 0)
        return true;
    const char *version = search->row->distribution[prefix - 1] == '-' ? name + prefix : strchr(name + prefix, '-');
    if (!version)
        return true;
    version += *version == '-';
    say(search->row, version, (size_t)(name + n - suffix - version));
    search->found = true;
    return false;
}

/* Where a folder that packages are installed into ends in the path, 0 if there is none. */
static size_t packages_end(const char *path)
{
    const char *at = strstr(path, "/site-packages/");
    if (!at)
        at = strstr(path, "/dist-packages/");
    return at ? (size_t)(at - path) + strlen("/site-packages/") : 0;
}

static bool by_distribution(struct row *row, const char *path)
{
    char folder[1024];
    struct search search = {.row = row};
    snprintf(folder, sizeof folder, "%.*s", (int)packages_end(path), path);
    return packages_end(path) && ovh_text_directory(folder, see_distribution, &search) && search.found;
}

/* libcublas.so.13 is a link to libcublas.so.13.0.2.14, or says no more than that. */
static void by_name(struct row *row, const char *path)
{
    char target[1024];
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    const char *so = strstr(n > 0 ? target : path, ".so.");
    if (so && so[4] >= '0' && so[4] <= '9')
        say(row, so + 4, strspn(so + 4, "0123456789."));
}

void ovh_versions_see(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t packages = packages_end(path);
    for (int i = 0; i < ROWS; i++) {
        struct row *row = &rows[i];
        size_t n = strlen(row->mapped);
        bool is_folder = row->mapped[n - 1] == '/';
        if (row->said || strncmp(is_folder ? path + packages : file, row->mapped, n) != 0 || (is_folder && !packages))
            continue;
        if (!by_distribution(row, path) && !is_folder)
            by_name(row, path);
    }
}
