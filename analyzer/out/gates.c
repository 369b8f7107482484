/* SPDX-License-Identifier: Apache-2.0
 *
 * What became of the gates, a line each.
 */
#include "analyzer/out/compare.h"
#include "analyzer/out/head.h"

const char *out_gate_word(enum gate_status status)
{
    static const char *const words[] = {"fine", "WORSE", "not sure"};
    return words[status];
}

static void share(FILE *to, const struct gate_answer *a)
{
    fprintf(to, "%+.1f %%  [%+.1f .. %+.1f], allowed %+.1f %%", 100 * a->value, 100 * a->low, 100 * a->high, 100 * a->limit);
}

void out_gates(FILE *to, const struct out_comparison *c, const struct out_options *o)
{
    fputs("\ngates\n", to);
    for (size_t i = 0; i < c->n_gates; i++) {
        const struct gate_answer *a = &c->gates[i];
        fprintf(to, "  %s%-8s%s  ", a->status == GATE_FINE ? "" : out_red(o), out_gate_word(a->status),
                a->status == GATE_FINE ? "" : out_plain(o));
        if (c->n_sides > 2)
            fprintf(to, "%c  ", (char)('a' + a->side));
        out_safe(to, a->gate->text);
        fputs(": ", to);
        if (a->gate->is_count)
            fprintf(to, "%g per unit, allowed %s%g", a->value, a->gate->relation == GATE_AT_MOST ? "up to " : "", a->limit);
        else
            share(to, a);
        if (a->why)
            fprintf(to, " (%s)", a->why);
        putc('\n', to);
    }
}
