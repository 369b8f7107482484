/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel names as a programmer writes them. The C++ library of this machine does it: __cxa_demangle of libstdc++.so.6, found at run
 * time, so that neither a C++ compiler nor one more library is needed to build or install; where it is not there, names stay as they are.
 */
#ifndef OUT_DEMANGLE_H
#define OUT_DEMANGLE_H

/* The demangled name, or `name` itself. Valid until the next call. Not for several threads. */
const char *out_demangle(const char *name);

#endif
