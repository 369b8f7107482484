/* SPDX-License-Identifier: Apache-2.0
 * Short calls and long ones of functions that only read or set state: 20 000 of the one, 50 of the other (1 ms each). */
int cudaGetDevice(int *), cudaSetDevice(int);

int main(void)
{
    int device;
    for (int i = 0; i < 20000; i++)
        cudaGetDevice(&device);
    for (int i = 0; i < 50; i++)
        cudaSetDevice(0);
    return 0;
}
