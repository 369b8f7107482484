/* SPDX-License-Identifier: Apache-2.0
 * A Python module's like: linked to one version of libcudart, loaded RTLD_LOCAL. */
#include <stddef.h>
int cudaGetDevice(int *);
#if VERSION < 13
int cudaStreamGetCaptureInfo(void *, int *, unsigned long long *);
#else
int cudaStreamGetCaptureInfo(void *, int *, unsigned long long *, void **, const void ***, const void **, size_t *);
#endif
int plugin(void);
int plugin(void)
{
    int device, status;
    unsigned long long id;
#if VERSION < 13
    cudaStreamGetCaptureInfo((void *)12, &status, &id);
#else
    size_t n = 1313;
    cudaStreamGetCaptureInfo((void *)13, &status, &id, 0, 0, 0, &n);
#endif
    return cudaGetDevice(&device) == 0 ? 0 : 1;
}
