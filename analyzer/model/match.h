/* SPDX-License-Identifier: Apache-2.0
 *
 * Which steps of several runs are the same one: by class, name and file; then, where a function has moved, by class and name alone.
 * Of several with the same name the first in the call goes with the first, and so on.
 */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "analyzer/model/model.h"

struct match {
    const struct model_step **at; /* [row * n_models + model]; NULL: that run has none */
    size_t n, room, n_models;
};

/* False: no memory. match_end in any case. */
bool match_steps(struct match *m, const struct model *const *models, size_t n);
void match_end(struct match *m);

#endif
