// SPDX-License-Identifier: Apache-2.0
// A C++ exception passes through a wrapper.
#include <cstdio>
extern "C" int cudaLaunchHostFunc(void *, void (*)(void *), void *);
extern "C" int cudaFree(void *);
static void throws(void *)
{
    throw 42;
}
int main()
{
    for (int i = 0; i < 3; i++) {
        try {
            cudaLaunchHostFunc((void *)1, throws, 0);
        } catch (int n) {
            std::printf("caught %d\n", n);
            std::fflush(stdout);
        }
    }
    return cudaFree(0);
}
