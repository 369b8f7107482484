/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/model/native.h"

#include <string.h>

static const char *behind(const char *text, const char *beginning)
{
    size_t n = strlen(beginning);
    return strncmp(text, beginning, n) == 0 ? text + n : NULL;
}

void native_coverage(struct model_native *native, const struct trace_def *def)
{
    const char *what = behind(def->coverage.text, "native "), *name = what ? behind(what, "unseen ") : NULL;
    if (!what)
        return;
    native->checked = true;
    if (name) {
        native->unseen += def->coverage.unseen;
        if (native->n < NATIVE_NAMES) {
            native->unseen_names[native->n].name = name;
            native->unseen_names[native->n++].calls = def->coverage.unseen;
        }
    } else if (!strcmp(what, "slot")) {
        native->slot = def->coverage.seen;
    } else if (!strcmp(what, "tp_call")) {
        native->tp_call = def->coverage.seen;
    } else if (!strcmp(what, "pointer")) {
        native->pointer = def->coverage.seen;
    }
}
