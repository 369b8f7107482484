/* SPDX-License-Identifier: Apache-2.0
 *
 * What was lost and stands in no thread's chunk, counted per reason and place for the process. Loss stands beside the numbers in every
 * report.
 */
#include "preload/writer/loss.h"

#include "ovh/trace.h"
#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include <string.h>

enum { PLACES = 32 };

static struct ovh_lock lock;
static struct {
    uint32_t why;
    uint64_t count, written;
    char where[52];
} loss[PLACES];
static uint32_t places;

/* The counter of a reason and place. The last one takes what has no room of its own. */
static uint32_t counter(enum ovh_loss why, const char *where)
{
    uint32_t i = 0;
    while (i < places && (loss[i].why != why || strncmp(loss[i].where, where, sizeof loss[i].where - 1) != 0))
        i++;
    if (i == PLACES)
        return PLACES - 1;
    if (i == places) {
        loss[i].why = why;
        strncpy(loss[i].where, where, sizeof loss[i].where - 1);
        __atomic_store_n(&places, i + 1, __ATOMIC_RELEASE);
    }
    return i;
}

void ovh_lost(enum ovh_loss why, uint64_t count, const char *where)
{
    if (!count)
        return;
    uint32_t was_busy = ovh_lock_take(&lock), i = counter(why, where ? where : "");
    bool first = loss[i].count == 0;
    loss[i].count += count;
    if (first) /* later counts are written by the keeper and at the end */
        loss[i].written = loss[i].count;
    ovh_lock_drop(&lock, was_busy);
    if (first)
        ovh_define_loss(why, count, loss[i].where);
}

void ovh_loss_write(bool all)
{
    uint32_t n = __atomic_load_n(&places, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t count = __atomic_load_n(&loss[i].count, __ATOMIC_RELAXED);
        if (count == loss[i].written || (!all && count < 2 * loss[i].written))
            continue;
        loss[i].written = count;
        ovh_define_loss((enum ovh_loss)loss[i].why, count, loss[i].where);
    }
}

void ovh_loss_forked(void)
{
    lock.word = 0;
    places = 0;
    memset(loss, 0, sizeof loss);
}
