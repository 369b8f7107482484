/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts, through CUPTI's driver callbacks, the launches of a process: the yardstick that ovh's own count is held against.
 * CUDA loads it by itself: CUDA_INJECTION64_PATH=./cupti_count.so program. At exit one line goes to the file CUPTI_COUNT_OUT
 * (or stderr), after those of other processes: "cupti launches K graphs G", K kernel launches that the driver was asked for, G graph launches.
 */
#include <cupti.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_ulong kernels, graphs;

static void on_call(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user;
    (void)domain;
    if (((const CUpti_CallbackData *)data)->callbackSite != CUPTI_API_ENTER)
        return;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch || id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz)
        graphs++;
    else
        kernels++;
}

static void report(void)
{
    const char *path = getenv("CUPTI_COUNT_OUT");
    FILE *f = path ? fopen(path, "a") : stderr;
    if (!f)
        return;
    fprintf(f, "cupti launches %lu graphs %lu\n", (unsigned long)kernels, (unsigned long)graphs);
    if (f != stderr)
        fclose(f);
}

int InitializeInjection(void);
int InitializeInjection(void)
{
    static const CUpti_CallbackId launches[] = {
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,   CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
    };
    CUpti_SubscriberHandle subscriber;
    if (cuptiSubscribe(&subscriber, on_call, 0) != CUPTI_SUCCESS) {
        fputs("cupti_count: another CUPTI subscriber holds the process\n", stderr);
        return 0;
    }
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launches[i]);
    atexit(report);
    return 1;
}
