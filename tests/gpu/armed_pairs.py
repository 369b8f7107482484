#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each part of ovh costs a workload, by windows that lie side by side in one process: the recorder's arm bits (OVH_ARM_*, in
preload/writer/thread.h) are set from here for one window of calls after the other, in random order, whatever the level.

    OVH_DETAIL=3 LD_PRELOAD=./libovh.so tests/gpu/armed_pairs.py WORKLOAD.py [ROUNDS [CALLS]]     libovh.so with its symbols (not stripped)

WORKLOAD.py defines make(), which returns the callable that is timed. Printed per setting: us per call, and the median over the rounds of what
it adds to the one above it, with its standard error. With OVH_DETAIL=3 the interpreter's hooks are in place in all windows: "nothing" then
has their cost when they record nothing."""
import ctypes
import random
import re
import runpy
import statistics as st
import subprocess
import sys
import time

LAUNCH, CALL, FRAMES, WALK, NATIVE, NESTED = (1 << i for i in range(6))
SETTINGS = [("nothing", 0), ("launches (level 0)", LAUNCH), ("every CUDA call (1)", LAUNCH | CALL), ("Python frames (2)", LAUNCH | CALL | FRAMES),
            ("C functions (3)", LAUNCH | CALL | FRAMES | NATIVE)]


def armed_word():
    for line in open("/proc/self/maps"):
        found = re.match(r"([0-9a-f]+)-\S+ \S+ 00000000 .*\s(/\S*libovh\S*\.so)$", line)
        if found:
            break
    else:
        sys.exit("armed_pairs: libovh.so is not preloaded")
    env = {"PATH": "/usr/bin:/bin"}
    for line in subprocess.run(["nm", found[2]], stdout=subprocess.PIPE, text=True, env=env).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[2] == "ovh_armed":
            return ctypes.c_uint32.from_address(int(found[1], 16) + int(words[0], 16))
    sys.exit("armed_pairs: %s has no symbol table" % found[2])


def middle(values):
    """Median and its standard error, which a few pauses do not change: by the median distance from the median."""
    m = st.median(values)
    return m, 1.2533 * 1.4826 * st.median(abs(x - m) for x in values) / len(values) ** 0.5


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rounds, calls = int((sys.argv + ["", "200"])[2] or 200) if len(sys.argv) > 2 else 200, int(sys.argv[3]) if len(sys.argv) > 3 else 64
    call = runpy.run_path(sys.argv[1])["make"]()
    for _ in range(800):
        call()
    word = armed_word()
    top = word.value
    settings = [(name, bits) for name, bits in SETTINGS if bits & ~top == 0]
    clock = time.perf_counter_ns
    took = {name: [] for name, _ in settings}
    for _ in range(rounds):
        for name, bits in random.sample(settings, len(settings)):
            word.value = bits
            for _ in range(8):
                call()
            began = clock()
            for _ in range(calls):
                call()
            took[name].append((clock() - began) / calls / 1e3)
            word.value = top
    below = None
    for name, _ in settings:
        line = "%-22s %8.2f us" % (name, st.median(took[name]))
        if below:
            for other, word_for in ((below, "above it"), (settings[0][0], "nothing")):
                line += "   %+.3f +- %.3f us to %s" % (*middle([b - a for a, b in zip(took[other], took[name])]), word_for)
        print(line)
        below = name


main()
