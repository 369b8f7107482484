/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_GUEST_CUDART_H
#define TESTS_GUEST_CUDART_H

/* The few functions of libcudart that the host program calls; its stand-in does nothing else. */
int cudaGetDevice(int *device);
int cudaDeviceSynchronize(void);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data); /* runs it at once, inside the call */

#endif
