#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each level of detail costs in one run whose levels take turns: paired windows, which a machine's modes and noise cannot part.

    OVH_BUDGET=100 LD_PRELOAD=./libovh.so OVH_OUT=t.bin python program.py; tests/gpu/level_costs.py ./ovh-report t.bin

A window's figure is its median time from one kernel launch to the next, what settles left out; it is compared with the windows of the
lowest level beside it, 64 launches of each. Printed per level: windows, us per launch of those neighbours, us added and the ratio
(medians over the windows) with their standard error (1.2533 times that of a mean). For programs with one launch per unit of work."""
import re
import statistics as st
import subprocess
import sys

LAUNCH = re.compile(r'^ +(\d+) (\d+) .*enter \d+ "cuLaunchKernel')
WINDOW = re.compile(r"^ +\d+ \d+ .*WINDOW level=(\d+) number=(\d+) .*settle=(\d+)")
NEAR = 64


def windows_of(report, trace):
    """[(level, settle, [ns of launches])] in the order of the windows; launches of the thread that launches most."""
    dump = subprocess.Popen([report, "--dump", trace], stdout=subprocess.PIPE, text=True, errors="replace")
    windows = []
    for line in dump.stdout:
        found = WINDOW.match(line)
        if found:
            windows.append((int(found[1]), int(found[3]), []))
            continue
        found = LAUNCH.match(line)
        if found and windows:
            windows[-1][2].append(int(found[1]))
    if dump.wait():
        sys.exit("level_costs: %s cannot be read" % trace)
    return windows


def step(ns):
    gaps = [b - a for a, b in zip(ns, ns[1:])]
    return st.median(gaps) if len(gaps) >= 6 else None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    windows = windows_of(*sys.argv[1:])
    found = {}
    for before, here, after in zip(windows[1:], windows[2:], windows[3:]):
        if here[0] == 0 or before[0] or after[0]:
            continue
        sides = [step(before[2][-NEAR:]), step(after[2][8:8 + NEAR])]
        inside = step(here[2][here[1]:])
        if inside and all(sides):
            found.setdefault(here[0], []).append((inside, sum(sides) / 2))
    for level, pairs in sorted(found.items()):
        ratios = [a / b for a, b in pairs]
        error = 1.2533 * st.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else float("nan")
        print("level %d: %4d windows, %.2f us per launch beside them, added %.2f us, ratio %.4f +- %.4f" % (
            level, len(pairs), st.median(b for _, b in pairs) / 1e3, st.median(a - b for a, b in pairs) / 1e3, st.median(ratios), error))


main()
