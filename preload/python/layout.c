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

/* _Py_DebugOffsets of 3.13: where its uint64_t fields stand. Later versions move them, and need their own column. */
enum {
    COOKIE = 0,
    VERSION = 8,
    FREE_THREADED = 16,
    TSTATE_FRAME = 184,
    FRAME_BACK = 232,
    FRAME_CODE = 240,
    FRAME_INSTRUCTION = 248,
    FRAME_OWNER = 264,
    CODE_FILE = 280,
    CODE_QUALNAME = 296,
    CODE_LINES = 304,
    CODE_FIRST_LINE = 312,
    CODE_INSTRUCTIONS = 344,
    BYTES_LENGTH = 520,
    BYTES_DATA = 528,
    TEXT_STATE = 544,
    TEXT_LENGTH = 552,
    TEXT_ASCII_BYTES = 560
};

static uint16_t told(const char *runtime, uint32_t at)
{
    uint64_t value;
    memcpy(&value, runtime + at, sizeof value);
    return value < 4096 ? (uint16_t)value : 0;
}

static bool layout_313(const char *runtime, const char **why)
{
    uint64_t version, free_threaded;
    if (!runtime || memcmp(runtime + COOKIE, "xdebugpy", 8) != 0) {
        *why = "_PyRuntime does not begin with the offsets of CPython 3.13";
        return false;
    }
    memcpy(&version, runtime + VERSION, sizeof version);
    memcpy(&free_threaded, runtime + FREE_THREADED, sizeof free_threaded);
    if (version >> 16 != 0x030d || free_threaded) {
        *why = free_threaded ? "a free-threaded build" : "_PyRuntime says another version";
        return false;
    }
    /* Not told, from the headers of 3.13: the recursion credit, _co_firsttraceable, and the two words between a compact string and
     * its data. */
    ovh_layout = (struct python_layout){.version = 0x030d,
                                        .lines = OVH_LINES_LOCATIONS_311,
                                        .tstate_frame = told(runtime, TSTATE_FRAME),
                                        .cframe_frame = -1,
                                        .tstate_credit = 52,
                                        .code_first_traceable = 184,
                                        .frame_back = told(runtime, FRAME_BACK),
                                        .frame_code = told(runtime, FRAME_CODE),
                                        .frame_instruction = told(runtime, FRAME_INSTRUCTION),
                                        .instruction_bytes = 8,
                                        .frame_owner = told(runtime, FRAME_OWNER),
                                        .code_name = told(runtime, CODE_QUALNAME),
                                        .code_file = told(runtime, CODE_FILE),
                                        .code_first_line = told(runtime, CODE_FIRST_LINE),
                                        .code_lines = told(runtime, CODE_LINES),
                                        .code_instructions = told(runtime, CODE_INSTRUCTIONS),
                                        .text_length = told(runtime, TEXT_LENGTH),
                                        .text_state = told(runtime, TEXT_STATE),
                                        .ascii_data = told(runtime, TEXT_ASCII_BYTES),
                                        .wide_data = (uint16_t)(told(runtime, TEXT_ASCII_BYTES) + 16),
                                        .bytes_length = told(runtime, BYTES_LENGTH),
                                        .bytes_data = told(runtime, BYTES_DATA)};
    return true;
}

bool python_layout_choose(uint32_t version, const void *runtime, const char **why)
{
    if (version == 0x030d)
        return layout_313(runtime, why);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].version == version) {
            ovh_layout = rows[i];
            return true;
        }
    *why = "this version of CPython is not known to this version of ovh (3.9 to 3.13 are)";
    return false;
}
