/* SPDX-License-Identifier: Apache-2.0
 * Two libraries export who(); the first asks RTLD_NEXT for the second's. Also OpenMP's start-up probe, which finds nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#if defined(FIRST)
const char *who(void);
const char *who(void)
{
    return ((const char *(*)(void))dlsym(RTLD_NEXT, "who"))();
}
void *probe(void);
void *probe(void)
{
    return dlsym(RTLD_NEXT, "ompt_start_tool");
}
#elif defined(SECOND)
const char *who(void);
const char *who(void)
{
    return "second";
}
#else
const char *who(void);
void *probe(void);
int main(void)
{
    puts(who());
    printf("%d\n", probe() != 0);
    printf("%d\n", dlsym(RTLD_NEXT, "who") != dlsym(RTLD_DEFAULT, "main"));
    return 0;
}
#endif
