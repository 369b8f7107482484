/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products of the simulated cuBLAS and cuBLASLt: their time comes from their operations, their launches go through the driver.
 */
#include <stdio.h>
#include "sim/cublas/blas.h"
#include "tests/sim/tap.h"
#include <dlfcn.h>
#include <stdlib.h>

int main(void)
{
    setenv("OVH_SIM_CLOCK", "fake", 1);
    setenv("OVH_SIM_TFLOPS", "100", 1);
    cublasHandle_t blas;
    cudaStream_t stream;
    struct ovh_sim_counts before, after;
    is(cublasCreate_v2(&blas) | cudaStreamCreateWithFlags(&stream, 1) | cublasSetStream_v2(blas, stream), 0, "a handle and its stream");
    uint64_t start = ovh_sim_ticks();
    ovh_sim_get_counts(&before);
    is(cublasGemmEx(blas, 0, 0, 1000, 500, 200, NULL, NULL, 14, 1000, NULL, 14, 200, NULL, NULL, 14, 1000, 68, 0), 0, "a product");
    is(cudaStreamQuery(NULL), 0, "runs in the handle's stream alone");
    cudaStreamSynchronize(stream);
    is(ovh_sim_ticks() - start, 2000, "2 x 10^8 operations at 100 TFLOP/s are 2 us");
    ovh_sim_get_counts(&after);
    is(after.launches - before.launches, 1, "one launch");
    cublasSgemmStridedBatched(blas, 0, 0, 1000, 500, 200, NULL, NULL, 1000, 0, NULL, 200, 0, NULL, NULL, 1000, 0, 3);
    cudaStreamSynchronize(stream);
    is(ovh_sim_ticks() - start, 8000, "three in a batch take three times as long");

    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, d;
    char result[96];
    int found = 0, transpose = 1;
    is(cublasLtMatmulDescCreate(&product, 68, 0) | cublasLtMatrixLayoutCreate(&a, 14, 200, 1000, 200) |
           cublasLtMatrixLayoutCreate(&b, 14, 200, 500, 200) | cublasLtMatrixLayoutCreate(&d, 14, 1000, 500, 1000), 0, "layouts");
    cublasLtMatmulDescSetAttribute(product, 3, &transpose, sizeof transpose);
    cublasLtMatmulAlgoGetHeuristic(NULL, product, a, b, d, d, NULL, 1, (cublasLtMatmulHeuristicResult_t *)(void *)result, &found);
    is(found, 1, "the heuristic knows one algorithm");
    start = ovh_sim_ticks();
    is(cublasLtMatmul(NULL, product, NULL, NULL, a, NULL, b, NULL, NULL, d, NULL, d, NULL, NULL, 0, stream), 0, "a product of cuBLASLt");
    cudaStreamSynchronize(stream);
    is(ovh_sim_ticks() - start, 2000, "k is taken from the transposed layout");
    ovh_sim_set_kernel_time("ovh_sim_gemm*", 77);
    start = ovh_sim_ticks();
    cublasGemmEx(blas, 0, 0, 1000, 500, 200, NULL, NULL, 14, 1000, NULL, 14, 200, NULL, NULL, 14, 1000, 68, 0);
    cublasLtMatmul(NULL, product, NULL, NULL, a, NULL, b, NULL, NULL, d, NULL, d, NULL, NULL, 0, stream);
    cudaStreamSynchronize(stream);
    is(ovh_sim_ticks() - start, 154, "a time set by name goes before the operations");
    is(cublasLtMatmulDescDestroy(product) | cublasLtMatrixLayoutDestroy(a) | cublasLtMatrixLayoutDestroy(b) | cublasLtMatrixLayoutDestroy(d) |
           cublasDestroy_v2(blas), 0, "all is destroyed");
    int version = 0;
    cudaRuntimeGetVersion(&version);
    is(version / 1000, SIM_CUDA, "the runtime is of the version asked for");
    is(dlvsym(RTLD_DEFAULT, "cublasGemmEx", SIM_CUDA == 12 ? "libcublas.so.12" : "libcublas.so.13") != NULL, 1, "its symbols carry their node");
    return ends();
}
