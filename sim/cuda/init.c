/* SPDX-License-Identifier: Apache-2.0
 *
 * libcuda.so.1: start, versions, errors, and finding functions.
 */
#include "sim/cuda/driver.h"
#include <string.h>

/* The version of the newest CUDA whose tables we have. */
#define DRIVER_VERSION 13000

CUresult cuInit(unsigned int Flags)
{
    DRIVER_CALL(cuInit);
    return Flags ? SIM_INVALID_VALUE : SIM_OK;
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    DRIVER_CALL(cuDriverGetVersion);
    if (!driverVersion)
        return SIM_INVALID_VALUE;
    *driverVersion = DRIVER_VERSION;
    return SIM_OK;
}

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
    {SIM_OK, "CUDA_SUCCESS", "no error"},
    {SIM_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {SIM_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {SIM_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {SIM_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {SIM_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {SIM_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported by the simulated device"},
    {SIM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {SIM_CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not begun in this stream"},
    {SIM_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
};

static CUresult error_text(int error, const char **out, int name)
{
    if (!out)
        return SIM_INVALID_VALUE;
    *out = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].number == error)
            *out = name ? errors[i].name : errors[i].text;
    return *out ? SIM_OK : SIM_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    DRIVER_CALL(cuGetErrorString);
    return error_text((int)error, pStr, 0);
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    DRIVER_CALL(cuGetErrorName);
    return error_text((int)error, pStr, 1);
}

#define PER_THREAD_DEFAULT_STREAM 2 /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */
enum { FOUND = 0, SYMBOL_NOT_FOUND = 1 };

/* The symbols that find symbols. Named by hand: the tables may have a line for them or not. */
#define SYMBOL(name) __asm__(#name)
SIM_EXPORT CUresult get_proc_address(const char *symbol, void **pfn, int version, cuuint64_t flags) SYMBOL(cuGetProcAddress);
SIM_EXPORT CUresult get_proc_address_v2(const char *symbol, void **pfn, int version, cuuint64_t flags, int *status)
    SYMBOL(cuGetProcAddress_v2);
SIM_EXPORT CUresult get_export_table(const void **table, const void *id) SYMBOL(cuGetExportTable);

/* "cuGetProcAddress" is the first of them up to CUDA 11 and the second from 12.0 on. */
static void *find_finder(const char *symbol, int version)
{
    if (!strcmp(symbol, "cuGetProcAddress"))
        return version >= 12000 ? (void *)get_proc_address_v2 : (void *)get_proc_address;
    return strcmp(symbol, "cuGetExportTable") ? NULL : (void *)get_export_table;
}

static CUresult find(const char *symbol, void **pfn, int version, uint64_t flags, int *status)
{
    if (!symbol || !pfn)
        return SIM_INVALID_VALUE;
    *pfn = find_finder(symbol, version);
    if (!*pfn)
        *pfn = driver_find(symbol, version, (flags & PER_THREAD_DEFAULT_STREAM) != 0);
    if (status)
        *status = *pfn ? FOUND : SYMBOL_NOT_FOUND;
    return *pfn ? SIM_OK : SIM_NOT_FOUND;
}

CUresult get_proc_address(const char *symbol, void **pfn, int version, cuuint64_t flags)
{
    DRIVER_CALL(cuGetProcAddress);
    return find(symbol, pfn, version, flags, NULL);
}

CUresult get_proc_address_v2(const char *symbol, void **pfn, int version, cuuint64_t flags, int *status)
{
    DRIVER_CALL(cuGetProcAddress_v2);
    return find(symbol, pfn, version, flags, status);
}

/* Export tables carry an integrity check between NVIDIA's own libraries. It is not ours to forge: there are none here. */
CUresult get_export_table(const void **table, const void *id)
{
    DRIVER_CALL(cuGetExportTable);
    if (table)
        *table = NULL;
    return SIM_NOT_FOUND;
}
