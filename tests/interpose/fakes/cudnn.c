/* SPDX-License-Identifier: Apache-2.0
 * cuDNN as it comes: libcudnn.so.9 (SHIM) asks dlsym for its functions, under their own names, in its parts libcudnn_ops.so.9 (OPS) and
 * libcudnn_cnn.so.9 (CNN), which call each other by name. */
#include "say.h"
#include <dlfcn.h>

int cudnnCreate(void **handle);
#if defined(OPS)
int cudnnCreate(void **handle)
{
    SAY("ops cudnnCreate\n");
    *handle = (void *)9;
    return 0;
}
#elif defined(CNN)
int cudnnBackendFinalize(void *descriptor)
{
    SAY("cnn cudnnBackendFinalize\n");
    return cudnnCreate(&descriptor);
}
#else
static int hand_on(const char *part, const char *name, void *argument)
{
    SAY("shim %s\n", name);
    int (*f)(void *) = (int (*)(void *))dlsym(dlopen(part, RTLD_NOW | RTLD_LOCAL), name);
    return f(argument);
}
int cudnnCreate(void **handle)
{
    return hand_on("libcudnn_ops.so.9", "cudnnCreate", handle);
}
int cudnnBackendFinalize(void *descriptor)
{
    return hand_on("libcudnn_cnn.so.9", "cudnnBackendFinalize", descriptor);
}
#endif
