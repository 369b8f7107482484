/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

typedef char *demangler(const char *name, char *to, size_t *room, int *status);

static demangler *find(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, "__cxa_demangle") : NULL;
    return (demangler *)function;
}

const char *out_demangle(const char *name)
{
    static demangler *demangle;
    static bool looked;
    static char *last; /* the library's, grown by it */
    static size_t room;
    if (name[0] != '_' || name[1] != 'Z')
        return name;
    if (!looked) {
        looked = true;
        demangle = find();
    }
    int status = -1;
    char *plain = demangle ? demangle(name, last, &room, &status) : NULL;
    if (status || !plain)
        return name;
    return last = plain;
}
