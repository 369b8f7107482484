/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/findings.h"

#include "analyzer/model/findings/findings.h"
#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"
#include "analyzer/out/json.h"

static double ns_per_unit(const struct model *m, uint64_t ticks)
{
    return (double)ticks * m->ns / (double)m->unit.steady.counted;
}

static void one(FILE *to, const struct model *m, const struct finding *f, bool raw)
{
    uint64_t n = m->unit.steady.counted;
    const char *word = out_unit_word(m);
    fprintf(to, "   - %s: %s us/%s", f->rule->title, out_us(ns_per_unit(m, raw ? f->ticks : f->corrected)).text, word);
    if (f->wait)
        fprintf(to, ", and %s us of waiting", out_us(ns_per_unit(m, f->wait)).text);
    fprintf(to, ", %s calls (%s)\n", out_mean(f->calls, n).text, out_source(f->step, 0).text);
    for (size_t i = 0; i < f->n_places; i++) {
        const struct finding_place *p = &f->places[i];
        fprintf(to, "       %s us, %s calls from %s", out_us(ns_per_unit(m, raw ? p->ticks : p->corrected)).text, out_mean(p->calls, n).text,
                out_source(p->name, 0).text);
        if (*p->file)
            fprintf(to, " (%s)", out_source(p->file, p->line).text);
        putc('\n', to);
    }
    fprintf(to, "     %s\n", f->rule->advice);
}

bool out_findings(FILE *to, const struct model *m, const struct out_options *o)
{
    struct findings f;
    bool fine = findings_make(&f, m, o->findings);
    if (fine && m->unit.kind != MODEL_UNIT_NONE) {
        fprintf(to, "\n  %seasy wins%s%s\n", out_bold(o), out_plain(o), f.n ? "" : ": none found");
        for (size_t i = 0; i < f.n; i++)
            one(to, m, &f.list[i], o->raw);
    }
    findings_end(&f);
    return fine;
}

static void put(json_t *to, const char *key, json_t *value)
{
    json_object_set_new(to, key, value);
}

static json_t *place(const struct model *m, const struct finding_place *p)
{
    json_t *j = json_object();
    put(j, "name", out_json_text(p->name));
    put(j, "file", out_json_text(p->file));
    put(j, "line", json_integer(p->line));
    put(j, "calls", json_integer((json_int_t)p->calls));
    put(j, "ns", json_real((double)p->ticks * m->ns));
    if (correct_known(m))
        put(j, "corrected_ns", json_real((double)p->corrected * m->ns));
    return j;
}

json_t *out_findings_json(const struct model *m, const struct out_options *o)
{
    struct findings f;
    json_t *list = json_array();
    bool fine = findings_make(&f, m, o->findings);
    for (size_t i = 0; fine && i < f.n; i++) {
        const struct finding *x = &f.list[i];
        json_t *j = json_object(), *places = json_array();
        put(j, "id", out_json_text(x->rule->id));
        put(j, "title", out_json_text(x->rule->title));
        put(j, "advice", out_json_text(x->rule->advice));
        put(j, "step", out_json_text(x->step));
        put(j, "calls", json_integer((json_int_t)x->calls));
        put(j, "ns", json_real((double)x->ticks * m->ns));
        if (correct_known(m))
            put(j, "corrected_ns", json_real((double)x->corrected * m->ns));
        put(j, "wait_ns", json_real((double)x->wait * m->ns));
        for (size_t k = 0; k < x->n_places; k++)
            json_array_append_new(places, place(m, &x->places[k]));
        put(j, "places", places);
        json_array_append_new(list, j);
    }
    findings_end(&f);
    return list;
}
