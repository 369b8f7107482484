/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/levels.h"

#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"

void out_levels(FILE *to, const struct model *m)
{
    static const char *const names[WINDOWS_LEVELS] = {"launches and blocking calls", "CUDA calls", "Python frames", "C functions",
                                                      "native samples"};
    const struct windows *w = &m->windows;
    double whole = 0, calls = 0;
    if (!w->n)
        return;
    for (uint32_t i = 0; i < WINDOWS_LEVELS; i++) {
        whole += (double)w->levels[i].ticks;
        calls += i ? (double)w->levels[i].ticks : 0;
    }
    fputs("  levels of detail took turns:", to);
    for (uint32_t i = 0, any = 0; i < WINDOWS_LEVELS; i++)
        if (w->levels[i].windows)
            fprintf(to, "%s level %u (%s) %s of the time in %s windows", any++ ? "," : "", i, names[i],
                    out_share((double)w->levels[i].ticks, whole).text, out_count(w->levels[i].windows).text);
    fprintf(to,
            "\n  launches and blocking calls of the whole run are counted at every level; other CUDA calls (allocations, copies,\n"
            "  products) in the %s of the time that level 1 and above have seen; units of work and their times are those of level "
            "%u alone\n",
            out_share(calls, whole).text, w->top);
}

bool out_corrects(const struct model *m, const struct out_options *o)
{
    return correct_known(m) && !o->raw;
}

uint64_t out_corrected_wall(const struct model *m)
{
    double host = m->correction.estimate.corrected.value * (double)m->unit.steady.counted;
    return (uint64_t)(host + 0.5) + m->unit.classes[OVH_CLASS_WAIT].corrected;
}

static void not_measurable(FILE *to, const struct model *m)
{
    const struct correction *c = &m->correction;
    fputs("profiling cost: error not measurable: ", to);
    switch (c->estimate.why) {
    case ESTIMATE_ONE_LEVEL:
        fputs("all of the run was recorded at one level of detail (OVH_DETAIL=auto lets levels take turns)\n", to);
        break;
    case ESTIMATE_NO_CONTROL:
        fputs("no part of the run was recorded at level 0 alone\n", to);
        break;
    case ESTIMATE_NO_UNITS:
        fprintf(to, "the launches of this thread do not tell units of work apart (%s of them launch the same sequence)\n",
                out_share(c->unit_share, 1).text);
        break;
    case ESTIMATE_WAITING:
        fprintf(to, "the host waited for the GPU for %s of the time\n", out_share(c->estimate.waiting, 1).text);
        break;
    default:
        fprintf(to, "too few windows of level %u with level 0 on both sides (%zu, %u are needed%s): record longer\n",
                m->windows.top, c->estimate.sessions[m->windows.top], ESTIMATE_LEAST,
                c->estimate.modes ? "; some lay where the machine's mode changed" : "");
    }
}

void out_cost(FILE *to, const struct model *m)
{
    const struct estimate *e = &m->correction.estimate;
    if (m->unit.kind == MODEL_UNIT_NONE)
        return;
    if (!correct_known(m)) {
        not_measurable(to, m);
        return;
    }
    fprintf(to, "profiling cost: raw %s, corrected %s, control %s us/%s (measured error %+.1f %% [%+.1f .. %+.1f])",
            out_us(e->raw.value * m->ns).text, out_us(e->corrected.value * m->ns).text, out_us(e->control.value * m->ns).text,
            out_unit_word(m), 100 * e->error.value, 100 * e->error.low, 100 * e->error.high);
    fprintf(to, ", from %zu windows of level %u\n", e->sessions[e->top], e->top);
}
