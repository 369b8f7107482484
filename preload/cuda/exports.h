/* SPDX-License-Identifier: Apache-2.0
 *
 * Preprocessed into the version script of the library (Makefile): the only names that it exports. The node is anonymous: symbols of
 * a named node are ignored for references such as cublasLtMatmul@libcublasLt.so.13.
 */
#define NAME_NONE(name) name;
#define NAME_PTSZ(name) name; name##_ptsz;
#define NAME_PTDS(name) name; name##_ptds;
#define HOOK(ret, name, twin, ...) NAME_##twin(name)
#define VOID_HOOK(name, twin, ...) NAME_##twin(name)
#define NEWER(since, ret, name, twin, ...) NAME_##twin(name)
#define OLDER(...)
#define DRIVER(ret, symbol, base, since, twin, ...) NAME_##twin(symbol)
#include "ovh/hooks/all.def"
dlsym;
dlclose;
InitializeInjectionNvtx2;
