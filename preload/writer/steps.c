/* SPDX-License-Identifier: Apache-2.0
 *
 * Every hook's step, from the tables: id, name, class, kind and library. Written at file open, so that a trace needs no table to be read.
 */
#include "preload/writer/steps.h"

#include "ovh/hooks.h"
#include "preload/writer/define.h"
#include <string.h>

struct step {
    uint16_t class_, kind;
    const char *name;
};

/* What waits for the GPU is `wait`, whichever library it belongs to. */
#define CLASS_OF(library, kind) ((kind) == OVH_KIND_SYNC || (kind) == OVH_KIND_COPY_SYNC ? OVH_CLASS_WAIT : (library))
#define STEP(hook, library, kind_, name_) [hook] = {.class_ = CLASS_OF(library, kind_), .kind = (kind_), .name = (name_)},
#define LIBRARY OVH_PASTE(OVH_CLASS_, OVH_TABLE)
#define TWIN_NONE(name, does)
#define TWIN_PTSZ(name, does) STEP(OVH_HOOK_##name##_ptsz, LIBRARY, OVH_KIND_OF(does), #name "_ptsz")
#define TWIN_PTDS(name, does) STEP(OVH_HOOK_##name##_ptds, LIBRARY, OVH_KIND_OF(does), #name "_ptds")
#define HOOK(ret, name, twin, does, ...) STEP(OVH_HOOK_##name, LIBRARY, OVH_KIND_OF(does), #name) TWIN_##twin(name, does)
#define VOID_HOOK(name, twin, does, ...) HOOK(void, name, twin, does, __VA_ARGS__)
#define NEWER(since, ret, name, twin, does, ...) HOOK(ret, name, twin, does, __VA_ARGS__)
#define OLDER(until, ret, name, twin, does, ...) HOOK(ret, name##_until_##until, twin, does, __VA_ARGS__)
#define DRIVER(ret, symbol, base, since, twin, does, ...) HOOK(ret, symbol, twin, does, __VA_ARGS__)

static const struct step steps[OVH_HOOKS] = {
#include "ovh/hooks/all.def"
};

/* The library as a reader should call it: of a `wait` step, the one whose name the function has. */
static const char *library_of(const struct step *step)
{
    switch (step->class_) {
    case OVH_CLASS_CUDART: return "libcudart";
    case OVH_CLASS_DRIVER: return "libcuda";
    case OVH_CLASS_CUBLAS: return "libcublas";
    case OVH_CLASS_CUBLASLT: return "libcublasLt";
    case OVH_CLASS_CUDNN: return "libcudnn";
    case OVH_CLASS_NCCL: return "libnccl";
    case OVH_CLASS_CUSPARSE: return "libcusparse";
    case OVH_CLASS_CUSOLVER: return "libcusolver";
    case OVH_CLASS_CUFFT: return "libcufft";
    case OVH_CLASS_CURAND: return "libcurand";
    case OVH_CLASS_NVRTC: return "libnvrtc";
    default:
        return !strncmp(step->name, "cublas", 6) ? "libcublas" : !strncmp(step->name, "cuda", 4) ? "libcudart" : "libcuda";
    }
}

/* An OLDER variant is the same function to a reader: cudaEventElapsedTime_until_13000 is called cudaEventElapsedTime. */
static void plain_name(char *to, size_t room, const char *name)
{
    const char *cut = strstr(name, "_until_");
    size_t n = cut ? (size_t)(cut - name) : strlen(name);
    const char *tail = cut ? cut + strlen("_until_") : name + n;
    tail += strspn(tail, "0123456789"); /* _ptsz stays */
    if (n + strlen(tail) >= room)
        return;
    memcpy(to, name, n);
    strcpy(to + n, tail);
}

void ovh_steps_define(void)
{
    for (uint32_t i = 0; i < OVH_HOOKS; i++) {
        char name[160] = "";
        plain_name(name, sizeof name, steps[i].name);
        ovh_define_hook_step(OVH_STEP_OF_HOOK(i), (enum ovh_class)steps[i].class_, (enum ovh_kind)steps[i].kind, name, library_of(&steps[i]));
    }
}
