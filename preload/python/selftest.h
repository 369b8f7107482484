/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_PYTHON_SELFTEST_H
#define OVH_PYTHON_SELFTEST_H

#include "preload/python/interpreter.h"

/* What python_selftest returns where the expression raised something (an interrupt, no memory): it may be tried again. */
#define PYTHON_SELFTEST_NOT_RUN "the self-test's expression did not run"

/* Runs one expression in the interpreter and looks at its frame by raw reads, and (for PYTHON_EVALUATOR) through the evaluator's
 * slot, which must hold the default and holds it again afterwards. NULL: all agree; else what does not, static text. Attached
 * threads only. Unseen by profilers and tracers; keeps the error indicator. */
OVH_HIDDEN OVH_COLD const char *python_selftest(enum python_way way);

/* Runs `run_it`, which uses the interpreter, so that the program does not notice: no profiler, tracer or finaliser of the program runs
 * meanwhile, the error indicator is kept, an interrupt that arrives is handed on. Returns what it returned. Attached threads only. */
OVH_HIDDEN OVH_COLD bool python_run_hidden(bool (*run_it)(void *), void *with);

#endif
