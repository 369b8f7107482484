/* SPDX-License-Identifier: Apache-2.0
 * A linked library whose constructor runs before the preload's and whose destructor runs after it; both call CUDA. */
int cudaGetDevice(int *);
int cudaFree(void *);
#ifdef LIBRARY
static void __attribute__((constructor)) begins(void)
{
    int device;
    cudaGetDevice(&device);
}
static void __attribute__((destructor)) ends(void)
{
    cudaFree(0);
}
int early(void);
int early(void)
{
    return 0;
}
#else
int early(void);
int main(void)
{
    return early();
}
#endif
