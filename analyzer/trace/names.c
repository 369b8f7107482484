/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the numbers in the format.
 */
#include "analyzer/trace/trace.h"

#define NAME_OF(table, number) ((number) < sizeof(table) / sizeof(table)[0] ? (table)[number] : NULL)

const char *trace_record_name(uint32_t type)
{
    static const char *const names[] = {
        [OVH_R_TIME] = "TIME",
        [OVH_R_SNAPSHOT] = "SNAPSHOT",
        [OVH_R_AT] = "AT",
        [OVH_R_STACK] = "STACK",
        [OVH_R_UNWIND] = "UNWIND",
        [OVH_R_STATUS] = "STATUS",
        [OVH_R_WINDOW] = "WINDOW",
        [OVH_R_LOSS] = "LOSS",
        [OVH_R_LAUNCH] = "LAUNCH",
        [OVH_R_MEMORY] = "MEMORY",
        [OVH_R_COPY] = "COPY",
        [OVH_R_HANDLE] = "HANDLE",
        [OVH_R_GEMM] = "GEMM",
        [OVH_R_RANGE] = "RANGE",
        [OVH_R_LINK] = "LINK",
        [OVH_R_GC] = "GC",
        [OVH_R_OFF_CPU] = "OFF_CPU",
        [OVH_R_GPU] = "GPU",
        [OVH_R_COUNTERS] = "COUNTERS",
        [OVH_R_SAMPLE] = "SAMPLE",
        [OVH_R_MODULE] = "MODULE",
        [OVH_R_ELAPSED] = "ELAPSED",
        [OVH_R_NAME] = "NAME",
        [OVH_R_THREAD] = "THREAD",
        [OVH_R_CALL] = "CALL",
    };
    return NAME_OF(names, type);
}

const char *trace_def_name(uint32_t type)
{
    static const char *const names[] = {
        [OVH_D_VALUE] = "VALUE",
        [OVH_D_ANCHOR] = "ANCHOR",
        [OVH_D_STEP] = "STEP",
        [OVH_D_THREAD] = "THREAD",
        [OVH_D_OBJECT] = "OBJECT",
        [OVH_D_KERNEL] = "KERNEL",
        [OVH_D_LINES] = "LINES",
        [OVH_D_STACK] = "STACK",
        [OVH_D_CALIBRATION] = "CALIBRATION",
        [OVH_D_COVERAGE] = "COVERAGE",
        [OVH_D_LOSS] = "LOSS",
        [OVH_D_MODULE] = "MODULE",
        [OVH_D_RANGE] = "RANGE",
        [OVH_D_NOTE] = "NOTE",
        [OVH_D_NAME] = "NAME",
        [OVH_D_GPU_CLOCK] = "GPU_CLOCK",
        [OVH_D_COUNTER_SET] = "COUNTER_SET",
        [OVH_D_SETTINGS] = "SETTINGS",
        [OVH_D_END] = "END",
    };
    return NAME_OF(names, type);
}

const char *trace_class_name(uint32_t class_)
{
    static const char *const names[] = {
        [OVH_CLASS_PYTHON] = "python",     [OVH_CLASS_NATIVE] = "native", [OVH_CLASS_CUBLAS] = "cublas",
        [OVH_CLASS_CUBLASLT] = "cublaslt", [OVH_CLASS_CUDNN] = "cudnn",   [OVH_CLASS_NCCL] = "nccl",
        [OVH_CLASS_CUDART] = "cudart",     [OVH_CLASS_DRIVER] = "driver", [OVH_CLASS_WAIT] = "wait",
        [OVH_CLASS_OFF_CPU] = "off-cpu",   [OVH_CLASS_GC] = "gc",         [OVH_CLASS_OTHER] = "other",
        [OVH_CLASS_CUSPARSE] = "cusparse", [OVH_CLASS_CUSOLVER] = "cusolver", [OVH_CLASS_CUFFT] = "cufft",
        [OVH_CLASS_CURAND] = "curand",     [OVH_CLASS_NVRTC] = "nvrtc",
    };
    return NAME_OF(names, class_);
}

const char *trace_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [OVH_KIND_PLAIN] = "plain",       [OVH_KIND_LAUNCH] = "launch",       [OVH_KIND_ALLOC] = "alloc",
        [OVH_KIND_FREE] = "free",         [OVH_KIND_COPY] = "copy",           [OVH_KIND_COPY_SYNC] = "copy-sync",
        [OVH_KIND_MEMSET] = "memset",     [OVH_KIND_EVENT] = "event",         [OVH_KIND_STREAM] = "stream",
        [OVH_KIND_SYNC] = "sync",         [OVH_KIND_GRAPH] = "graph",         [OVH_KIND_MODULE] = "module",
        [OVH_KIND_GEMM] = "gemm",         [OVH_KIND_REGISTER] = "register",   [OVH_KIND_CAPTURE] = "capture",
        [OVH_KIND_QUERY] = "query",       [OVH_KIND_HEURISTIC] = "heuristic", [OVH_KIND_LOOKUP] = "lookup",
        [OVH_KIND_FUNCTION] = "function", [OVH_KIND_SET] = "set",
    };
    return NAME_OF(names, kind);
}

const char *trace_loss_name(uint32_t why)
{
    static const char *const names[] = {
        [OVH_LOSS_NO_SPACE] = "no-space", [OVH_LOSS_RECURSION] = "recursion", [OVH_LOSS_DEPTH] = "depth",
        [OVH_LOSS_IDS] = "ids",           [OVH_LOSS_UNHOOKED] = "unhooked",   [OVH_LOSS_THREADS] = "threads",
    };
    return NAME_OF(names, why);
}

const char *trace_probe_name(uint32_t probe)
{
    static const char *const names[] = {
        [OVH_PROBE_CALL] = "call",   [OVH_PROBE_FRAME] = "frame",
        [OVH_PROBE_SLOT] = "slot",   [OVH_PROBE_MONITORING] = "monitoring",
        [OVH_PROBE_CLOCK] = "clock", [OVH_PROBE_DISARMED] = "disarmed",
    };
    return NAME_OF(names, probe);
}
