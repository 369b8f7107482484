/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/place.h"

const struct trace_thread *place_thread(const struct model *m)
{
    for (size_t i = 0; i < m->trace->n_threads; i++)
        if (m->trace->threads[i].number == m->unit.thread)
            return &m->trace->threads[i];
    return &m->trace->threads[0];
}

void place_begin(struct place *p, const struct model *m)
{
    *p = (struct place){.units = m->units};
    place_restart(m);
}

void place_restart(const struct model *m)
{
    for (uint32_t i = 1; i < m->tree.n; i++)
        if (m->tree.nodes[i].flags & CCT_LOOP)
            m->tree.nodes[i].open = PLACE_NEW;
}
