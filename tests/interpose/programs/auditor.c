/* SPDX-License-Identifier: Apache-2.0
 * An LD_AUDIT library that looks at every object and every binding. -DCALLS: also at calls through the PLT. (Not at their returns:
 * glibc's own dlsym crashes there, its caller being the loader.) */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned objects, bindings, calls;

unsigned la_version(unsigned version)
{
    return LAV_CURRENT;
}

unsigned la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
    __atomic_fetch_add(&objects, 1, __ATOMIC_RELAXED);
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name)
{
    __atomic_fetch_add(&bindings, 1, __ATOMIC_RELAXED);
    return symbol->st_value;
}

#if defined(CALLS) && defined(__x86_64__)
Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, La_x86_64_regs *registers,
                                  unsigned *flags, const char *name, long *frame)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return symbol->st_value;
}
#endif

__attribute__((destructor)) static void says(void)
{
    dprintf(1, "audited %d %d %d\n", objects > 3, bindings > 10, calls > 0);
}
