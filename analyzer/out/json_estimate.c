/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/json_estimate.h"

static json_t *interval(const struct estimate_interval *x, double times)
{
    json_t *j = json_object();
    json_object_set_new(j, "value", json_real(x->value * times));
    json_object_set_new(j, "low", json_real(x->low * times));
    json_object_set_new(j, "high", json_real(x->high * times));
    return j;
}

static json_t *probes(const struct model *m)
{
    static const char *const names[ESTIMATE_KINDS] = {"call", "counted_call", "frame", "native"};
    const struct correction *c = &m->correction;
    json_t *j = json_array();
    for (int k = 0; k < ESTIMATE_KINDS; k++) {
        if (!(c->probes[k] > 0))
            continue;
        json_t *one = json_object();
        json_object_set_new(one, "probe", json_string(names[k]));
        json_object_set_new(one, "per_unit", json_real(c->probes[k]));
        json_object_set_new(one, "cost_ns", interval(&c->estimate.cost[k], m->ns));
        json_array_append_new(j, one);
    }
    return j;
}

json_t *out_json_estimate(const struct model *m)
{
    static const char *const why[] = {
        [ESTIMATE_FINE] = NULL,
        [ESTIMATE_ONE_LEVEL] = "one level",
        [ESTIMATE_NO_CONTROL] = "no level 0",
        [ESTIMATE_FEW] = "too few windows",
        [ESTIMATE_NO_UNITS] = "launches do not tell units apart",
        [ESTIMATE_WAITING] = "too much waiting",
        [ESTIMATE_NO_MEMORY] = "no memory",
    };
    const struct correction *c = &m->correction;
    const struct estimate *e = &c->estimate;
    json_t *j = json_object();
    json_object_set_new(j, "why_not", why[e->why] ? json_string(why[e->why]) : json_null());
    json_object_set_new(j, "windows", json_integer((json_int_t)e->sessions[e->top < ESTIMATE_LEVELS ? e->top : 0]));
    json_object_set_new(j, "windows_left_out", json_integer((json_int_t)e->modes));
    json_object_set_new(j, "waiting_share", json_real(e->waiting));
    if (!correct_known(m))
        return j;
    json_object_set_new(j, "raw_ns", interval(&e->raw, m->ns));
    json_object_set_new(j, "corrected_ns", interval(&e->corrected, m->ns));
    json_object_set_new(j, "control_ns", interval(&e->control, m->ns));
    json_object_set_new(j, "error", interval(&e->error, 1));
    json_object_set_new(j, "probes", probes(m));
    json_object_set_new(j, "scale", json_real(c->scale));
    return j;
}
