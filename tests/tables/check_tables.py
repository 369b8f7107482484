#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make check-tables: the hook tables against every set of CUDA headers that is here.

    tests/tables/check_tables.py [--list] [--tables FOLDER] [--headers INCLUDE ...]

Prints one sentence per fault, and per header set how many functions are compared and how many are not hooked (--list: which, and
why). A function that is neither hooked nor has a reason in not_hooked.txt is a fault.
Exit status: 0 all lines agree, 1 some do not, 2 a table cannot be read, 3 no headers are here."""
import argparse
import os
import sys

import compare
import fetch_headers
from cuda_headers import header_sets
from hook_lines import LIBRARIES, TableError, faults_within, read_tables


def check_library(headers, library, lines):
    """Returns (faults, lines that these headers declare)."""
    faults, checked = compare.prototypes(headers, library, lines)
    if library == "driver":
        faults += compare.proc_addresses(headers, lines)
    if library == "cudart":
        faults += compare.runtime_twins(headers, checked)
    return faults + compare.layouts(headers, library, checked), checked


def check_set(headers, lines, reasons, show_list, seen):
    faults = []
    print(headers)
    for library in LIBRARIES:
        if not headers.has(library):
            print("  %-9s no headers here" % library)
            continue
        mine = [x for x in lines if x.library == library]
        found, checked = check_library(headers, library, mine)
        faults += found
        seen |= {(x.file, x.number) for x in checked}
        listed, forgotten = compare.uncovered(headers, library, mine, reasons)
        faults += ["%s: %s is neither hooked nor in not_hooked.txt" % (headers, name) for name in forgotten]
        print("  %-9s %4d lines compared, %3d faults, %3d functions not hooked with a reason, %d without" % (
            library, len(checked), len(found), len(listed), len(forgotten)))
        if show_list:
            print("".join("            %s: %s\n" % x for x in listed), end="")
    return faults


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--tables", default="include/ovh/hooks", help="folder of the .def files")
    ap.add_argument("--headers", nargs="*", default=[], help="include folders with cuda.h (default: all that are found)")
    ap.add_argument("--list", action="store_true", help="name the functions that are not hooked")
    opt = ap.parse_args()
    try:
        lines = read_tables(opt.tables)
        reasons = compare.read_reasons(os.path.join(os.path.dirname(os.path.abspath(__file__)), "not_hooked.txt"))
    except (TableError, OSError) as e:
        print("check-tables: %s" % e, file=sys.stderr)
        return 2
    faults = faults_within(lines)
    cc, seen = os.environ.get("CC", "gcc"), set()
    sets = header_sets(cc, opt.headers)
    if not sets and not opt.headers and fetch_headers.main([]) == 0:
        sets = header_sets(cc)
    for headers in sets:
        faults += check_set(headers, lines, reasons, opt.list, seen)
    everything = {x for s in sets for x in LIBRARIES if s.has(x)}
    unseen = [x for x in lines if (x.file, x.number) not in seen and x.library in everything]
    for line in unseen:
        print("  not compared, no header here declares it: %s" % line.where())
    for fault in faults:
        print(fault)
    print("%d lines, %d header sets, %d lines not compared, %d faults" % (len(lines), len(sets), len(unseen), len(faults)))
    if not sets:
        print("check-tables: no CUDA headers here: install a toolkit, set CUDA_HOME, or run `make cuda-headers`", file=sys.stderr)
        return 3
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
