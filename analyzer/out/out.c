/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/out.h"

#include "ovh/exit_codes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct out_ops *out_find(const char *name)
{
    static const struct out_ops *const all[] = {&out_text, &out_json, &out_tree, &out_timeline, &out_modules, &out_module_types,
                                               &out_backends, &out_backends_csv, &out_backends_markdown, &out_costs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

bool out_wants_colour(FILE *to)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(to)) && !(no && *no) && term && strcmp(term, "dumb");
}

int out_width(FILE *to)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) >= 40)
        return atoi(columns);
    if (!ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col >= 40)
        return size.ws_col;
    return 120;
}

int out_status(const struct out_report *reports, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (reports[i].model->quality.degraded)
            return OVH_EXIT_DEGRADED;
    return OVH_EXIT_FINE;
}
