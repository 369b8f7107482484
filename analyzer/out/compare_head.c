/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runs of a comparison differ in besides their times.
 */
#include "analyzer/out/compare.h"
#include "analyzer/out/head.h"

#include <string.h>

const struct out_report *out_side(const struct out_comparison *c, size_t side)
{
    size_t at = 0;
    for (size_t s = 0; s < side; s++)
        at += c->sides[s].n;
    return &c->reports[at];
}

static const char *setting(const struct model *m, const char *variable)
{
    return trace_setting(m->trace, variable);
}

static const char *arch(const struct model *m)
{
    return m->trace->head.arch == OVH_ARCH_AARCH64 ? "aarch64" : "x86_64";
}

static size_t differ(struct out_difference *list, size_t n, const char *name, const char *a, const char *b)
{
    a = a ? a : "";
    b = b ? b : "";
    if (strcmp(a, b) && n < OUT_DIFFERENCES)
        list[n++] = (struct out_difference){name, a, b};
    return n;
}

size_t out_differences(const struct model *a, const struct model *b, struct out_difference *list)
{
    static const struct {
        const char *name, *key;
    } keys[] = {
        {"host", "host"},
        {"CPU", "cpu.model"},
        {"CPUs", "cpu.count"},
        {"governor", "cpu.governor"},
        {"affinity", "cpu.affinity"},
        {"kernel", "kernel"},
        {"GPU", "gpu.name"},
        {"driver", "gpu.driver"},
        {"CUDA runtime", "cuda.runtime"},
        {"cuBLAS", "cublas"},
        {"cuBLASLt", "cublaslt"},
        {"cuDNN", "cudnn"},
        {"NCCL", "nccl"},
        {"Python", "python"},
        {"Python frames", "python.frames"},
        {"C functions", "python.native"},
        {"torch", "torch"},
        {"transformer_engine", "transformer_engine"},
        {"cupy", "cupy"},
        {"triton", "triton"},
        {"jax", "jax"},
        {"numpy", "numpy"},
        {"recorder", "ovh"},
    };
    static const char *const settings[] = {"OVH_DETAIL", "OVH_BUDGET"};
    size_t n = differ(list, 0, "architecture", arch(a), arch(b));
    n = differ(list, n, "simulated device", out_simulated(a) ? "yes" : "no", out_simulated(b) ? "yes" : "no");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        n = differ(list, n, keys[i].name, out_value(a, keys[i].key), out_value(b, keys[i].key));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        n = differ(list, n, settings[i], setting(a, settings[i]), setting(b, settings[i]));
    return n;
}
