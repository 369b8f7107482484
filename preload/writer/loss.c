/* SPDX-License-Identifier: Apache-2.0
 *
 * What was lost, counted per reason for the process. Loss stands beside the numbers in every report.
 */
#include "preload/writer/loss.h"

#include "ovh/trace.h"
#include "preload/writer/define.h"
#include <string.h>

enum { KINDS = OVH_LOSS_THREADS + 1 };

static struct {
    uint64_t count, written;
    char where[48]; /* the latest place */
} loss[KINDS];

void ovh_lost(enum ovh_loss why, uint64_t count, const char *where)
{
    if ((unsigned)why >= KINDS || !count)
        return;
    uint64_t total = __atomic_add_fetch(&loss[why].count, count, __ATOMIC_RELAXED);
    if (total != count) /* written again by the keeper and at the end */
        return;
    strncpy(loss[why].where, where ? where : "", sizeof loss[why].where - 1);
    loss[why].written = total;
    ovh_define_loss(why, total, loss[why].where);
}

void ovh_loss_write(bool all)
{
    for (int why = 1; why < KINDS; why++) {
        uint64_t count = __atomic_load_n(&loss[why].count, __ATOMIC_RELAXED);
        if (count == loss[why].written || (!all && count < 2 * loss[why].written))
            continue;
        loss[why].written = count;
        ovh_define_loss((enum ovh_loss)why, count, loss[why].where);
    }
}

void ovh_loss_forked(void)
{
    memset(loss, 0, sizeof loss);
}
