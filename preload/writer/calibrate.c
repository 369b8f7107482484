/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/calibrate.h"

#include "preload/writer/chunk.h"
#include "preload/writer/define.h"
#include "preload/writer/record.h"
#include <sys/mman.h>

enum { ROUNDS = OVH_CALIBRATE_ROUNDS, PER_ROUND = OVH_CALIBRATE_PER_ROUND };
static uint64_t hz;

static void sort(uint64_t *x)
{
    for (int i = 1; i < ROUNDS; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            uint64_t swap = x[j];
            x[j] = x[j - 1];
            x[j - 1] = swap;
        }
}

void ovh_calibration(enum ovh_probe probe, uint64_t *ticks)
{
    sort(ticks);
    double ps = 1e12 / (double)hz / PER_ROUND;
    struct ovh_def_calibration c = {.probe = probe, .rounds = ROUNDS};
    c.median_ps = (uint64_t)((double)ticks[ROUNDS / 2] * ps);
    c.low_ps = (uint64_t)((double)ticks[ROUNDS * 5 / 100] * ps);
    c.high_ps = (uint64_t)((double)ticks[ROUNDS * 95 / 100] * ps);
    ovh_define_calibration(&c);
}

static uint64_t clock_round(void)
{
    uint64_t begin = ovh_tick();
    for (int i = 0; i < PER_ROUND; i++)
        ovh_tick();
    return ovh_tick() - begin;
}

/* The very code of a hooked call, in a block of its own whose words go nowhere. */
static uint64_t call_round(struct ovh_thread *t)
{
    ovh_chunk_scratch(t);
    uint64_t begin = t->last = ovh_tick();
    for (int i = 0; i < PER_ROUND; i++) {
        ovh_resume(t);
        uint32_t depth = ovh_enter(t, 1);
        ovh_end(t);
        ovh_resume(t);
        ovh_leave(t, depth, false);
        ovh_end(t);
    }
    return ovh_tick() - begin;
}

void ovh_calibrate(uint64_t tick_hz)
{
    uint64_t ticks[ROUNDS];
    hz = tick_hz;
    for (int i = 0; i < ROUNDS; i++)
        ticks[i] = clock_round();
    ovh_calibration(OVH_PROBE_CLOCK, ticks);
    struct ovh_thread *t = mmap(0, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return;
    for (int i = 0; i < ROUNDS; i++)
        ticks[i] = call_round(t);
    ovh_calibration(OVH_PROBE_CALL, ticks);
    munmap(t, sizeof *t);
}
