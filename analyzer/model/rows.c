/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/rows.h"

#include <math.h>

#define LEAST 6 /* blocks: the least and the greatest of five are no 95 % */

/* Of one row in one run, over all counted units, as accounted in the end. */
struct whole {
    double ticks, calls;
    double estimated, timed; /* of the ticks: for calls that were counted and not timed; calls that tell how long these take */
};

/* Values per block -> one figure. The blocks were summed before calls that were only counted got their time (or anything was
 * corrected): they are brought to it, and what was estimated from few calls is known no better than those tell. */
static struct row_value typical(const struct model *m, const double *blocks, struct whole w)
{
    const struct blocks *b = &m->blocks;
    double units = (double)m->unit.steady.counted, sum = 0, n = 0;
    for (size_t i = 0; i < b->n; i++) {
        sum += blocks[i] * (double)b->units[i];
        n += (double)b->units[i];
    }
    double mean = w.ticks / units, scale = sum > 0 && mean > 0 ? mean / (sum / n) * m->ns : m->ns;
    double guess = 1.96 * w.estimated / units * m->ns / sqrt(w.timed + 1);
    struct blocks_figure f = blocks_typical(blocks, b->n);
    struct row_value v = {
        w.ticks > 0 || w.calls > 0, f.typical * scale, f.low * scale, f.high * scale, w.calls / units, f.quiet * scale};
    if (!(sum > 0))
        v.ns = v.low = v.high = v.quiet = mean * m->ns;
    v.low -= guess;
    v.high += guess;
    return v;
}

static double ticks_of(const struct model_class *c, bool corrected)
{
    return (double)(corrected ? c->corrected : c->ticks);
}

struct row_value row_of_class(const struct model *m, uint32_t class_, bool corrected)
{
    const struct model_class *c = &m->unit.classes[class_];
    struct whole w = {ticks_of(c, corrected), (double)c->calls, (double)c->estimated, (double)(c->calls - c->counted)};
    return typical(m, m->blocks.classes[class_], w);
}

struct row_value row_of_sum(const struct model *m, bool host, bool corrected)
{
    double blocks[BLOCKS_MOST] = {0}, ticks = 0;
    for (size_t k = 1; k < OVH_CLASSES; k++) {
        if (host && model_class_apart((uint32_t)k))
            continue;
        ticks += ticks_of(&m->unit.classes[k], corrected);
        for (size_t i = 0; i < m->blocks.n; i++)
            blocks[i] += m->blocks.classes[k][i];
    }
    return typical(m, blocks, (struct whole){.ticks = ticks});
}

struct row_value row_of_wall(const struct model *m)
{
    return typical(m, m->blocks.wall, (struct whole){.ticks = (double)m->unit.steady.sum});
}

struct row_value row_of_step(const struct model *m, const struct model_step *s, bool corrected)
{
    if (!s)
        return (struct row_value){0};
    struct whole w = {(double)(corrected ? s->corrected : s->self), (double)s->calls, (double)s->estimated,
                      (double)(s->calls - s->counted)};
    return typical(m, m->blocks.steps + (size_t)s->blocks * BLOCKS_MOST, w);
}

bool row_interval(const struct model *m, struct row_value v, double mean_ns, double *low, double *high)
{
    *low = fmax(fmin(v.low, mean_ns), 0);
    *high = fmax(v.high, mean_ns);
    return v.there && m->blocks.n >= LEAST;
}
