/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run may cost: limits that are asked for, and whether they are kept. Pure: a specification in, answers out.
 *
 * A specification is terms with commas between:
 *     5%                  the host's time per unit may grow by 5 % over the first side
 *     ROW=5%              of another row: host, sum, wall, class:NAME, step:NAME; every step of that name
 *     COUNT=N COUNT<=N    happens so often per unit; counts are deterministic, and need no first side
 *     COUNT<=base         likewise, no more often than in the first side (=base: as often)
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "analyzer/model/compare.h"

enum gate_status { GATE_FINE = 0, GATE_WORSE, GATE_UNSURE };
enum gate_relation { GATE_EQUAL, GATE_AT_MOST };

struct gate {
    char *text; /* the term as it was written */
    char *name; /* of a class, step or count */
    bool is_count;
    bool of_step;           /* is_count: calls of the step `name` */
    bool base;              /* is_count: the limit is what the first side has */
    enum compare_kind kind; /* else */
    enum gate_relation relation;
    double limit; /* a share (0.05), or a number per unit */
};
struct gates {
    struct gate *list;
    size_t n;
};

/* Adds the terms of a specification. False: `why` (of `room` bytes) says in one sentence what is wrong with which term. */
bool gates_add(struct gates *g, const char *specification, char *why, size_t room);
void gates_end(struct gates *g);
/* Does any of them need a first side to compare with? */
bool gates_need_base(const struct gates *g);

struct gate_answer {
    const struct gate *gate;
    size_t side;
    enum gate_status status;
    double value, low, high; /* the change as a share, with its interval; or the number per unit, of the worst run */
    double limit;            /* as the gate says it; of base: what the first side has */
    const char *why;         /* beyond the figures; NULL */
};

/* One answer per gate and side but the first (of a single side: of that one), behind each other in `answers`, which takes
 * gates->n * max(1, n - 1). `compare` may be NULL where no gate needs a first side. False: a gate names something that no side has;
 * `why` says so. */
bool gates_judge(const struct gates *g, const struct compare *compare, const struct compare_side *sides, size_t n,
                 struct gate_answer *answers, char *why, size_t room);

#endif
