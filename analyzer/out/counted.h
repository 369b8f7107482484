/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OUT_COUNTED_H
#define OUT_COUNTED_H

#include "analyzer/model/model.h"

#include <stdio.h>

/* The remark about calls that were counted and not timed; nothing where there are none. */
void out_counted(FILE *to, const struct model *m);

#endif
