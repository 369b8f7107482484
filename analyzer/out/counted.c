/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/counted.h"

#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"


/* All calls that were recorded, timed or not. */
static uint64_t all_calls(const struct model_class *c, const struct model_counts *counts)
{
    uint64_t calls = c[OVH_CLASS_PYTHON].calls + c[OVH_CLASS_NATIVE].calls;
    for (int k = OVH_CLASS_CUBLAS; k <= OVH_CLASS_WAIT; k++)
        calls += c[k].calls;
    return calls - (counts->blocked < calls ? counts->blocked : calls);
}

void out_counted(FILE *to, const struct model *m)
{
    bool unit = m->unit.kind != MODEL_UNIT_NONE;
    struct counted_sum s = counted_sum(m, unit);
    uint64_t n = unit ? m->unit.steady.counted : 1;
    uint64_t all = unit ? all_calls(m->unit.classes, &m->unit.counts) : all_calls(m->run, &m->run_counts);
    if (!s.counted || !n)
        return;
    const char *word = unit ? out_unit_word(m) : "run";
    const char *one_in = trace_setting(m->trace, "OVH_TIME_QUERIES");
    fprintf(to, "  %s of %s calls per %s are of functions that proved short: counted, ", out_mean(s.calls, n).text, out_mean(all, n).text, word);
    if (*one_in) {
        fputs("1 in ", to);
        out_safe(to, one_in);
    } else {
        fputs("some of them", to);
    }
    fputs(" timed, their time\n  estimated from those (OVH_TIME_QUERIES=1 times all)\n", to);
    if (s.blind)
        fprintf(to,
                "  %s of them per %s are calls of functions of which none was timed: their time is not known, it is inside their "
                "callers'\n",
                out_mean(s.blind, n).text, word);
}
