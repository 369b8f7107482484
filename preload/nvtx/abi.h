/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tool and NVTX (version 3, header-only) say to each other: the part of its binary interface that ovh uses, restated from
 * the declarations in nvtx3/nvToolsExt.h and nvtx3/nvtxDetail/nvtxTypes.h (of CUDA 13.0).
 */
#ifndef OVH_NVTX_ABI_H
#define OVH_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

typedef void nvtx_function(void);
typedef nvtx_function **nvtx_table; /* of pointers to the pointers that NVTX calls; a tool stores its functions through them */

/* Table 1 of those that NVTX hands out. */
struct nvtx_callbacks {
    size_t struct_size;
    int (*module_table)(int module, nvtx_table **table,
                        unsigned *size); /* `size` with the table's own entry 0, which is none; 1: done */
};
typedef const void *nvtx_export_table(uint32_t id);
enum { NVTX_TABLE_CALLBACKS = 1 };
enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };
enum {
    NVTX_MARK_EX = 1,
    NVTX_MARK_A,
    NVTX_MARK_W,
    NVTX_START_EX,
    NVTX_START_A,
    NVTX_START_W,
    NVTX_END,
    NVTX_PUSH_EX,
    NVTX_PUSH_A,
    NVTX_PUSH_W,
    NVTX_POP
};
enum {
    NVTX_DOMAIN_MARK_EX = 1,
    NVTX_DOMAIN_START_EX,
    NVTX_DOMAIN_END,
    NVTX_DOMAIN_PUSH_EX,
    NVTX_DOMAIN_POP,
    NVTX_DOMAIN_REGISTER_A = 10,
    NVTX_DOMAIN_REGISTER_W,
    NVTX_DOMAIN_CREATE_A,
    NVTX_DOMAIN_CREATE_W
};

enum { NVTX_MESSAGE_ASCII = 1, NVTX_MESSAGE_UNICODE, NVTX_MESSAGE_REGISTERED };
enum { NVTX_COLOR_ARGB = 1 };
enum { NVTX_NO_TRACKING = -2 }; /* what push and pop answer where no tool counts levels, and so without us */

struct nvtx_attributes {
    uint16_t version, size; /* size of this struct as the caller knows it: 48 or more */
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message; /* by message_type: char *, wchar_t *, what register_string returned */
};
_Static_assert(sizeof(struct nvtx_attributes) == 48, "as in nvToolsExt.h");

#endif
