/* SPDX-License-Identifier: Apache-2.0
 * A Python module's like that is linked to cuDNN and NCCL and loaded RTLD_LOCAL; one function it asks dlsym for. */
#include <dlfcn.h>
#include <string.h>
struct id { char bytes[128]; };
int cudnnCreate(void **), cudnnBackendFinalize(void *), ncclCommInitRank(void **, int, struct id, int);
int plugin(void);
int plugin(void)
{
    void *handle, *communicator;
    struct id id;
    memset(&id, 1, sizeof id);
    id.bytes[127] = 2;
    int (*end)(void) = (int (*)(void))dlsym(dlopen("libnccl.so.2", RTLD_NOW), "ncclGroupEnd");
    int wrong = cudnnCreate(&handle) || handle != (void *)9 || cudnnBackendFinalize(handle);
    return wrong || ncclCommInitRank(&communicator, 8, id, 3) != 7 || end() != 3;
}
