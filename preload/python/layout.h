/* SPDX-License-Identifier: Apache-2.0
 *
 * Where CPython keeps what we read of it: offsets in bytes, per version, for raw reads without the GIL and without Python.h.
 * 3.9 to 3.12 are frozen branches: their rows were printed by a program compiled against each version's own headers (all LP64
 * machines agree). From 3.13 on the interpreter says its own offsets (_Py_DebugOffsets at the start of _PyRuntime).
 */
#ifndef OVH_PYTHON_LAYOUT_H
#define OVH_PYTHON_LAYOUT_H

#include "ovh/trace.h"
#include "preload/writer/thread.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct python_layout {
    uint32_t version;        /* 0x030b: 3.11 */
    enum ovh_lines lines;    /* form of the line table */
    uint16_t tstate_frame;   /* thread state -> innermost frame, or -> struct that holds it, when ... */
    int16_t cframe_frame;    /* ... this is not -1 (3.11, 3.12) */
    uint16_t tstate_credit;  /* int: C recursion still allowed (3.12, 3.13); 0: there is none */
    uint16_t tstate_tracing; /* int: not 0 while a trace function runs; 0: PyThreadState_EnterTracing does it (3.11 on) */
    uint16_t tstate_profile; /* the C profile function (needed before 3.12) */
    uint16_t frame_back, frame_code;
    uint16_t frame_instruction; /* f_lasti, prev_instr or instr_ptr */
    uint16_t instruction_bytes; /* 4: an index; 8: a pointer into the code */
    uint16_t instruction_unit;  /* of an index, in bytes: 1 on 3.9, 2 on 3.10 */
    uint16_t frame_locals;      /* the arguments, then the other local variables; tagged as the code is */
    uint16_t frame_owner;       /* one byte; OWNER_SHIM and above: not a Python frame; 0: no such frames */
    uint16_t code_name, code_file, code_first_line, code_lines;
    uint16_t code_instructions;    /* first instruction, inside the code object (3.11 on) */
    uint16_t code_first_traceable; /* int: instructions before it belong to no Python code yet; 0: no such frames (before 3.12) */
    uint16_t text_length, text_state, ascii_data, wide_data; /* str: state word; data of an ASCII and of any other one */
    uint16_t bytes_length, bytes_data;
};
enum { PYTHON_OWNER_GENERATOR = 1, PYTHON_OWNER_SHIM = 3, PYTHON_TAG_BITS = 3 };

/* The layout in force; valid once python_layout_choose answered true. */
extern OVH_HIDDEN struct python_layout ovh_layout;

/* Fills ovh_layout for a version (0x030d); `runtime` is the address of _PyRuntime, or NULL. False: unknown, with the reason. */
OVH_HIDDEN OVH_COLD bool python_layout_choose(uint32_t version, const void *runtime, const char **why);

static inline const char *python_pointer(const char *object, uint32_t offset)
{
    return *(const char *const *)(object + offset);
}

static inline int32_t python_int(const char *object, uint32_t offset)
{
    return *(const int32_t *)(object + offset);
}

/* From 3.14 on the word is a tagged reference: the low bits say who counts it. Before, they are 0. */
static inline const char *python_frame_code(const char *frame)
{
    return (const char *)((uintptr_t)python_pointer(frame, ovh_layout.frame_code) & ~(uintptr_t)PYTHON_TAG_BITS);
}

/* Frames of the interpreter's own that no traceback shows: for a call from C, for the return of a specialised __init__. */
static inline bool python_frame_is_shim(const char *frame)
{
    uint8_t owner = (uint8_t)frame[ovh_layout.frame_owner];
    if (owner >= PYTHON_OWNER_SHIM)
        return true;
    const char *code = python_frame_code(frame);
    return owner != PYTHON_OWNER_GENERATOR &&
           python_pointer(frame, ovh_layout.frame_instruction) <
               code + ovh_layout.code_instructions + 2 * python_int(code, ovh_layout.code_first_traceable);
}

static inline const char *python_real_frame(const char *frame)
{
    while (frame && ovh_layout.code_first_traceable && python_frame_is_shim(frame))
        frame = python_pointer(frame, ovh_layout.frame_back);
    return frame;
}

static inline const char *python_top_frame(const char *tstate)
{
    const char *frame = python_pointer(tstate, ovh_layout.tstate_frame);
    if (ovh_layout.cframe_frame >= 0 && frame)
        frame = python_pointer(frame, (uint32_t)ovh_layout.cframe_frame);
    return python_real_frame(frame);
}

static inline const char *python_frame_back(const char *frame)
{
    return python_real_frame(python_pointer(frame, ovh_layout.frame_back));
}

/* The frame's instruction as it is kept: a pointer or an index. */
static inline uint64_t python_frame_instruction(const char *frame)
{
    return ovh_layout.instruction_bytes == 8 ? *(const uint64_t *)(frame + ovh_layout.frame_instruction)
                                             : *(const uint32_t *)(frame + ovh_layout.frame_instruction);
}

/* Its offset in the code, in 2-byte units. */
static inline uint32_t python_code_offset(const char *code, uint64_t instruction)
{
    if (ovh_layout.instruction_bytes == 8)
        return (uint32_t)((instruction - (uint64_t)(uintptr_t)(code + ovh_layout.code_instructions)) / 2);
    return (int32_t)instruction < 0 ? 0 : (uint32_t)instruction * ovh_layout.instruction_unit / 2;
}

#endif
