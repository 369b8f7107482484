/* SPDX-License-Identifier: Apache-2.0
 *
 * What nvtx3/nvToolsExt.h does at a program's first call, for machines without that header: asks the library that NVTX_INJECTION64_PATH names
 * for InitializeInjectionNvtx2 and hands it a table of function pointers. Only what ranges.c uses; without a tool nothing happens.
 */
#ifndef SMALL_NVTX_H
#define SMALL_NVTX_H

#include "preload/nvtx/abi.h"
#include <dlfcn.h>
#include <stdlib.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (sizeof(nvtxEventAttributes_t))
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_MESSAGE_TYPE_REGISTERED 3
typedef void *nvtxDomainHandle_t;
typedef void *nvtxStringHandle_t;
typedef uint64_t nvtxRangeId_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    uint64_t payload;
    int32_t messageType;
    union {
        const char *ascii;
        const wchar_t *unicode;
        nvtxStringHandle_t registered;
    } message;
} nvtxEventAttributes_t;

static nvtx_function *core_functions[16], *core2_functions[16];

static int module_table(int module, nvtx_table **table, unsigned *size)
{
    static nvtx_table core[16], core2[16];
    for (int i = 1; i < 16; i++) {
        core[i] = (nvtx_table)&core_functions[i];
        core2[i] = (nvtx_table)&core2_functions[i];
    }
    *table = module == NVTX_MODULE_CORE ? core : core2;
    *size = 16;
    return module == NVTX_MODULE_CORE || module == NVTX_MODULE_CORE2;
}

static const void *export_table(uint32_t id)
{
    static const struct nvtx_callbacks callbacks = {sizeof callbacks, module_table};
    return id == NVTX_TABLE_CALLBACKS ? &callbacks : 0;
}

static nvtx_function *function(nvtx_function **table, int number)
{
    static int asked;
    const char *path = getenv("NVTX_INJECTION64_PATH");
    if (!asked++ && path) {
        void *handle = dlopen(path, RTLD_LAZY);
        int (*initialize)(nvtx_export_table *) = handle ? (int (*)(nvtx_export_table *))dlsym(handle, "InitializeInjectionNvtx2") : 0;
        if (!initialize || !initialize(export_table))
            abort();
    }
    return table[number];
}
#define CALL(table, number, type, none, ...) (function(table, number) ? ((type)function(table, number))(__VA_ARGS__) : none)

#define nvtxMarkA(text) ((void)(function(core_functions, NVTX_MARK_A) ? ((void (*)(const char *))function(core_functions, NVTX_MARK_A))(text) : (void)0))
#define nvtxRangePushA(text) CALL(core_functions, NVTX_PUSH_A, int (*)(const char *), NVTX_NO_TRACKING, text)
#define nvtxRangePushW(text) CALL(core_functions, NVTX_PUSH_W, int (*)(const wchar_t *), NVTX_NO_TRACKING, text)
#define nvtxRangePushEx(a) CALL(core_functions, NVTX_PUSH_EX, int (*)(const nvtxEventAttributes_t *), NVTX_NO_TRACKING, a)
#define nvtxRangePop() CALL(core_functions, NVTX_POP, int (*)(void), NVTX_NO_TRACKING)
#define nvtxRangeStartA(text) CALL(core_functions, NVTX_START_A, uint64_t(*)(const char *), (uint64_t)0, text)
#define nvtxRangeEnd(id) ((void)(function(core_functions, NVTX_END) ? ((void (*)(uint64_t))function(core_functions, NVTX_END))(id) : (void)0))
#define nvtxDomainCreateA(name) CALL(core2_functions, NVTX_DOMAIN_CREATE_A, void *(*)(const char *), (void *)0, name)
#define nvtxDomainRegisterStringA(d, text) CALL(core2_functions, NVTX_DOMAIN_REGISTER_A, void *(*)(void *, const char *), (void *)0, d, text)
#define nvtxDomainRangePushEx(d, a) CALL(core2_functions, NVTX_DOMAIN_PUSH_EX, int (*)(void *, const nvtxEventAttributes_t *), NVTX_NO_TRACKING, d, a)
#define nvtxDomainRangePop(d) CALL(core2_functions, NVTX_DOMAIN_POP, int (*)(void *), NVTX_NO_TRACKING, d)

#endif
