/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/backlog.h"

#define RUN_LEAST 4u      /* units */
#define WAITED_SHARE 0.02 /* of the run's time: a shorter wait is the last unit's own work, not a backlog */
#define WAITED_NS 10000.0

void backlog_add(struct backlog *b, double ns, uint64_t units, double busy, double waited, double whole)
{
    double prompt = busy * WAITED_SHARE > WAITED_NS / ns ? busy * WAITED_SHARE : WAITED_NS / ns;
    if (units < RUN_LEAST)
        return;
    if (waited > prompt) {
        b->ticks += whole;
        b->units += units;
        b->runs++;
    } else {
        b->prompt_units += units;
        b->prompt_runs++;
    }
}
