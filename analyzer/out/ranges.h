/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OUT_RANGES_H
#define OUT_RANGES_H

#include "analyzer/out/out.h"

/* The table of ranges that the program set, those that took longest first; nothing where it set none. False: no memory. */
bool out_ranges(FILE *to, const struct model *m, const struct out_options *o);

#endif
