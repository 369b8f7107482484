/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_NATIVE_SELFTEST_H
#define OVH_PYTHON_NATIVE_SELFTEST_H

#include "preload/python/native_objects.h"

/* Compares native_objects.h with what the interpreter says of its own types, then calls functions of ours through all mechanisms.
 * NULL: all agree; else what does not, static text. Attached, unseen by the program (python_run_hidden). `append` is list.append.
 */
OVH_HIDDEN OVH_COLD const char *native_selftest(const char *isinstance, const char *append);

#endif
