/* SPDX-License-Identifier: Apache-2.0
 * Loads the plugins named, each RTLD_LOCAL, and calls them; a name that begins with "-" is closed again at once, one with "+" is loaded
 * with RTLD_DEEPBIND. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int close = argv[i][0] == '-', deep = argv[i][0] == '+';
        void *h = dlopen(argv[i] + close + deep, RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0));
        if (!h)
            return puts(dlerror()), 1;
        int (*plugin)(void) = (int (*)(void))dlsym(h, "plugin");
        if (plugin() || plugin())
            return 1;
        if (close)
            dlclose(h);
    }
    return 0;
}
