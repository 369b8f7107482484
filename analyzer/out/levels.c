/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/levels.h"

#include "analyzer/out/figure.h"

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
            "\n  launches and blocking calls of the whole run are counted at every level; other CUDA calls (allocations, copies, products) in the\n"
            "  %s of the time that level 1 and above have seen; units of work and their times are those of level %u alone\n",
            out_share(calls, whole).text, w->top);
}
