/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that the looping frame makes, one after the other, and the marks between them that tell of the GPU.
 */
#ifndef SIBLINGS_SIBLINGS_H
#define SIBLINGS_SIBLINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIBLING_RANGE 1u /* symbol of every range that is a unit of work */

struct sibling {
    uint64_t start, end; /* ticks; end 0: the window ended before the call did */
    uint32_t symbol;     /* node of the call, or of the module's forward in it; PERIOD_LAUNCHES; PERIOD_GAP: between two
                            instances of the frame, or a call that was not recorded whole */
    uint32_t node;       /* of the call */
};

enum mark_kind { MARK_WAIT = 1, MARK_EVENT, MARK_ELAPSED };
struct mark {
    uint64_t start; /* ticks */
    union {
        uint64_t end;    /* WAIT: ticks */
        uint64_t handle; /* EVENT: which */
    };
    uint32_t before; /* siblings opened up to here: the mark lies in or behind number before - 1 */
    uint16_t kind;   /* enum mark_kind */
    uint16_t unused;
    float us; /* ELAPSED: what the program was told */
};

struct siblings {
    struct sibling *list;
    size_t n, room;
    struct mark *marks;
    size_t n_marks, marks_room;
};

/* What cudaEventElapsedTime told the program, and the two events that it is about: those recorded last before the answer. Only the first
 * answer after an event counts: which events the later ones are about cannot be told. */
struct told {
    uint64_t start, end; /* ticks of the events */
    float us;
    size_t next;         /* mark to go on with; 0 at first */
};
/* The next answer. False: there is none. */
bool siblings_told(const struct siblings *s, struct told *told);

void siblings_end(struct siblings *s);

#endif
