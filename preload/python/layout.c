/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/layout.h"

struct python_layout ovh_layout;

static const struct python_layout rows[] = {
    {.version = 0x0309,
     .lines = OVH_LINES_LNOTAB,
     .tstate_frame = 24,
     .cframe_frame = -1,
     .tstate_tracing = 44,
     .tstate_profile = 56,
     .frame_back = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_locals = 360,
     .instruction_bytes = 4,
     .instruction_unit = 1,
     .code_name = 112,
     .code_file = 104,
     .code_first_line = 40,
     .code_lines = 120,
     .text_length = 16,
     .text_state = 32,
     .ascii_data = 48,
     .wide_data = 72,
     .bytes_length = 16,
     .bytes_data = 32},
    {.version = 0x030a,
     .lines = OVH_LINES_LINETABLE_310,
     .tstate_frame = 24,
     .cframe_frame = -1,
     .tstate_tracing = 44,
     .tstate_profile = 56,
     .frame_back = 24,
     .frame_code = 32,
     .frame_instruction = 96,
     .frame_locals = 352,
     .instruction_bytes = 4,
     .instruction_unit = 2,
     .code_name = 112,
     .code_file = 104,
     .code_first_line = 40,
     .code_lines = 120,
     .text_length = 16,
     .text_state = 32,
     .ascii_data = 48,
     .wide_data = 72,
     .bytes_length = 16,
     .bytes_data = 32},
    {.version = 0x030b,
     .lines = OVH_LINES_LOCATIONS_311,
     .tstate_frame = 56,
     .cframe_frame = 8,
     .tstate_profile = 64,
     .frame_back = 48,
     .frame_code = 32,
     .frame_instruction = 56,
     .frame_locals = 72,
     .instruction_bytes = 8,
     .code_name = 128,
     .code_file = 112,
     .code_first_line = 72,
     .code_lines = 136,
     .code_instructions = 184,
     .text_length = 16,
     .text_state = 32,
     .ascii_data = 48,
     .wide_data = 72,
     .bytes_length = 16,
     .bytes_data = 32},
    {.version = 0x030c,
     .lines = OVH_LINES_LOCATIONS_311,
     .tstate_frame = 56,
     .cframe_frame = 0,
     .tstate_credit = 36,
     .frame_back = 8,
     .frame_code = 0,
     .frame_instruction = 56,
     .frame_locals = 72,
     .instruction_bytes = 8,
     .frame_owner = 70,
     .code_name = 128,
     .code_file = 112,
     .code_first_line = 68,
     .code_lines = 136,
     .code_instructions = 192,
     .code_first_traceable = 176,
     .text_length = 16,
     .text_state = 32,
     .ascii_data = 40,
     .wide_data = 56,
     .bytes_length = 16,
     .bytes_data = 32},
};

/* Where the uint64_t fields of _Py_DebugOffsets stand: each version moves them. Printed by a program compiled against the internal
 * headers of 3.13.18, 3.14.10 and 3.15.2, debug builds included. `first_traceable` is not told: _co_firsttraceable of the same
 * headers. */
static const struct told_at {
    uint32_t version;
    uint16_t tstate_frame, frame_back, frame_code, frame_instruction, frame_owner;
    uint16_t code_file, code_qualname, code_lines, code_first_line, code_instructions;
    uint16_t bytes_length, bytes_data, text_state, text_length, text_ascii_bytes;
    uint16_t first_traceable, tstate_credit;
} told_at[] = {
    {0x030d, 184, 232, 240, 248, 264, 280, 296, 304, 312, 344, 520, 528, 544, 552, 560, 184, 52},
    {0x030e, 208, 256, 264, 272, 288, 320, 336, 344, 352, 384, 600, 608, 624, 632, 640, 192, 0},
    {0x030f, 208, 320, 328, 336, 352, 384, 400, 408, 416, 448, 696, 704, 720, 728, 736, 192, 0},
};
enum { COOKIE = 0, VERSION = 8, FREE_THREADED = 16 };

static uint16_t told(const char *runtime, uint32_t at)
{
    uint64_t value;
    memcpy(&value, runtime + at, sizeof value);
    return value < 4096 ? (uint16_t)value : 0;
}

static bool layout_told(const struct told_at *at, const char *runtime, const char **why)
{
    uint64_t version, free_threaded;
    if (!runtime || memcmp(runtime + COOKIE, "xdebugpy", 8) != 0) {
        *why = "_PyRuntime does not begin with the interpreter's offsets, as it does from CPython 3.13 on";
        return false;
    }
    memcpy(&version, runtime + VERSION, sizeof version);
    memcpy(&free_threaded, runtime + FREE_THREADED, sizeof free_threaded);
    if (version >> 16 != at->version || free_threaded) {
        *why = free_threaded ? "a free-threaded build: not supported" : "_PyRuntime says another version";
        return false;
    }
    /* Not told, from the headers: _co_firsttraceable, the recursion credit, and the two words between a compact string and its
     * data. */
    ovh_layout = (struct python_layout){.version = at->version,
                                        .lines = OVH_LINES_LOCATIONS_311,
                                        .tstate_frame = told(runtime, at->tstate_frame),
                                        .cframe_frame = -1,
                                        .tstate_credit = at->tstate_credit,
                                        .code_first_traceable = at->first_traceable,
                                        .frame_back = told(runtime, at->frame_back),
                                        .frame_code = told(runtime, at->frame_code),
                                        .frame_instruction = told(runtime, at->frame_instruction),
                                        .instruction_bytes = 8,
                                        .frame_locals = told(runtime, at->frame_instruction + 8u), /* the next field */
                                        .frame_owner = told(runtime, at->frame_owner),
                                        .code_name = told(runtime, at->code_qualname),
                                        .code_file = told(runtime, at->code_file),
                                        .code_first_line = told(runtime, at->code_first_line),
                                        .code_lines = told(runtime, at->code_lines),
                                        .code_instructions = told(runtime, at->code_instructions),
                                        .text_length = told(runtime, at->text_length),
                                        .text_state = told(runtime, at->text_state),
                                        .ascii_data = told(runtime, at->text_ascii_bytes),
                                        .wide_data = (uint16_t)(told(runtime, at->text_ascii_bytes) + 16),
                                        .bytes_length = told(runtime, at->bytes_length),
                                        .bytes_data = told(runtime, at->bytes_data)};
    return true;
}

bool python_layout_choose(uint32_t version, const void *runtime, const char **why)
{
    for (uint32_t i = 0; i < sizeof told_at / sizeof *told_at; i++)
        if (told_at[i].version == version)
            return layout_told(&told_at[i], runtime, why);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].version == version) {
            ovh_layout = rows[i];
            return true;
        }
    *why = "this version of CPython is not known to this version of ovh (3.9 to 3.15 are)";
    return false;
}
