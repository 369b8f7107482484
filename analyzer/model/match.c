/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/match.h"

#include <stdlib.h>
#include <string.h>

/* The last folder and the file, whatever machine it is on; a library without its version. */
static size_t tail_of(const char *file, const char **tail)
{
    const char *slash = strrchr(file, '/'), *from = slash, *version = strstr(slash ? slash : file, ".so");
    while (from && from > file && from[-1] != '/')
        from--;
    *tail = from ? from : file;
    return version ? (size_t)(version - *tail) : strlen(*tail);
}

static bool same_file(const char *a, const char *b)
{
    const char *x, *y;
    size_t n = tail_of(a, &x), m = tail_of(b, &y);
    return n == m && !memcmp(x, y, n);
}

static bool same(const struct model_step *a, const struct model_step *b, bool by_file)
{
    return a->class_ == b->class_ && !strcmp(a->name, b->name) && (!by_file || same_file(a->file, b->file));
}

static const struct model_step *any_of(const struct match *m, size_t row)
{
    const struct model_step *const *at = &m->at[row * m->n_models];
    for (size_t i = 0; i < m->n_models; i++)
        if (at[i])
            return at[i];
    return NULL;
}

/* The first row that this run has none of yet. SIZE_MAX: there is none. */
static size_t find(const struct match *m, size_t model, const struct model_step *s, bool by_file)
{
    for (size_t row = 0; row < m->n; row++)
        if (!m->at[row * m->n_models + model] && same(any_of(m, row), s, by_file))
            return row;
    return SIZE_MAX;
}

static bool new_row(struct match *m, size_t model, const struct model_step *s)
{
    if (m->n == m->room) {
        size_t room = m->room ? 2 * m->room : 256;
        const struct model_step **at = realloc(m->at, room * m->n_models * sizeof(*at));
        if (!at)
            return false;
        m->at = at;
        m->room = room;
    }
    memset(&m->at[m->n * m->n_models], 0, m->n_models * sizeof(*m->at));
    m->at[m->n++ * m->n_models + model] = s;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct model_step *x = *(const struct model_step *const *)a, *y = *(const struct model_step *const *)b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool add(struct match *m, size_t model, const struct model_unit *u)
{
    const struct model_step **steps = malloc((u->n_steps + 1) * sizeof(*steps));
    bool fine = steps != NULL;
    for (size_t i = 0; fine && i < u->n_steps; i++)
        steps[i] = &u->steps[i];
    if (fine)
        qsort(steps, u->n_steps, sizeof(*steps), by_place);
    for (int by_file = 1; by_file >= 0; by_file--)
        for (size_t i = 0; fine && i < u->n_steps; i++) {
            size_t row = steps[i] ? find(m, model, steps[i], by_file) : SIZE_MAX;
            if (row == SIZE_MAX)
                continue;
            m->at[row * m->n_models + model] = steps[i];
            steps[i] = NULL;
        }
    for (size_t i = 0; fine && i < u->n_steps; i++)
        fine = !steps[i] || new_row(m, model, steps[i]);
    free(steps);
    return fine;
}

bool match_steps(struct match *m, const struct model *const *models, size_t n)
{
    *m = (struct match){.n_models = n};
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++)
        fine = add(m, i, &models[i]->unit);
    return fine;
}

void match_end(struct match *m)
{
    free(m->at);
}
