/* SPDX-License-Identifier: Apache-2.0
 *
 * --timeline: one unit, every step with its start and duration: the counted unit whose duration is nearest the median.
 */
#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"

static void one_span(FILE *to, const struct model *m, const struct model_span *s)
{
    fprintf(to, "  %10s  %10s  %-8s  %*s", out_us((double)s->start * m->ns).text,
            s->counted ? "counted" : out_us((double)s->length * m->ns).text,
            trace_class_name(m->tree.nodes[s->node].class_), (int)s->depth * 2, "");
    out_safe(to, model_node_name(m, s->node));
    fputs(s->failed ? "  (failed)\n" : "\n", to);
}

static bool one_line(FILE *to, const struct model *m, const struct out_options *o)
{
    struct model_timeline line;
    if (!model_timeline(m, o->raw, &line))
        return false;
    fprintf(to, "  %s number %s of %s, %s us%s\n\n", out_unit_word(m), out_count(line.unit + 1).text,
            out_count(m->unit.steady.n).text, out_us((double)line.wall * m->ns).text,
            line.corrected ? " without what the probes cost (--raw: as measured)" : "");
    fprintf(to, "  %10s  %10s  %-8s  %s\n", "start us", "us", "class", "step");
    for (size_t i = 0; i < line.n; i++)
        one_span(to, m, &line.spans[i]);
    model_timeline_free(&line);
    return true;
}

static bool write_timeline(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++) {
        const struct model *m = reports[i].model;
        if (i)
            putc('\n', to);
        out_head(to, &reports[i], o);
        putc('\n', to);
        if (m->unit.kind == MODEL_UNIT_NONE) {
            fputs("No unit of work was found: there is no timeline of one\n", to);
            continue;
        }
        out_unit_head(to, m, o);
        fine = one_line(to, m, o);
    }
    return fine && !ferror(to);
}

const struct out_ops out_timeline = {"timeline", "one median unit of work: every step with start and duration", write_timeline};
