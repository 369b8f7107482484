#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording C functions called from Python costs, on every CPython found: ns per call in a tight loop, by the way the call
is seen. Without the library, with it while nothing of Python is recorded, and at level 3 (taking turns in one process; thread
CPU time, medians); and what a switch to level 3 and back costs. `bench_native.py --json FILE`; `--child` is what runs in each
interpreter."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS, CALLS, SWITCHES = 31, 20000, 200

# what is called, by which mechanism it is seen
LOOPS = {
    "abs(x)": "slot, METH_O",
    "divmod(x, y)": "slot, METH_FASTCALL",
    "now()": "slot, METH_NOARGS",
    "items.count(x)": "slot of a descriptor, METH_O",
    "isinstance(x, int)": "the interpreter's own pointer",
    "getsizeof(x)": "tp_call, METH_VARARGS",
}
SOURCE = """
def loop(n):
    x, y = 7, 2
    for _ in range(n):
        %s
"""


def child(way):
    import ctypes
    library = ctypes.PyDLL(None)
    namespace = {"now": sys.getrecursionlimit, "items": [], "getsizeof": sys.getsizeof}
    loops = {}
    for call in LOOPS:
        exec(SOURCE % call, namespace)
        loops[call] = namespace.pop("loop")

    def time_loop(loop):
        start = time.thread_time_ns()
        loop(CALLS)
        return (time.thread_time_ns() - start) / CALLS

    if way == "bare":
        return {call: [time_loop(loop) for _ in range(ROUNDS)] for call, loop in loops.items()}
    library.trigger()
    result = {call: {"off": [], "on": []} for call in loops}
    for loop in loops.values():
        loop(CALLS)
    for _ in range(ROUNDS):
        for level, name in ((1, "off"), (3, "on")):
            library.trigger_level(level)
            for call, loop in loops.items():
                loop(1000)
                result[call][name].append(time_loop(loop))
    start = time.thread_time_ns()
    for _ in range(SWITCHES):
        library.trigger_level(1)
        library.trigger_level(3)
    both = (time.thread_time_ns() - start) / SWITCHES
    start = time.thread_time_ns()
    for _ in range(SWITCHES):
        library.trigger_level(3)
        library.trigger_level(3)
    result["switch"] = both - (time.thread_time_ns() - start) / SWITCHES
    return result


def run(interpreter, way, library):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, OVH_OUT=folder + "/trace.bin", OVH_PYTHON_EVALUATOR="always", OVH_DETAIL="3", OVH_QUIET="1")
        environment.pop("LD_PRELOAD", None)
        if way != "bare":
            environment["LD_PRELOAD"] = library
        command = [interpreter, os.path.abspath(__file__), "--child", way]
        return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def measure(interpreter, library):
    """{call: {bare, off, on, added}}, ns of a switch there and back. Bare processes before and after it: the lower."""
    before, ours, after = (run(interpreter, way, library) for way in ("bare", "record", "bare"))
    rows = {}
    for call in LOOPS:
        row = {name: statistics.median(values) for name, values in ours[call].items()}
        row["bare"] = min(statistics.median(before[call]), statistics.median(after[call]))
        row["added"] = row["on"] - row["off"]
        rows[call] = row
    return rows, ours["switch"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--child")
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child)))
        return
    sys.path[:0] = [os.path.join(os.path.dirname(HERE), "python"), os.path.dirname(HERE)]
    from test_frames import LIBRARY, interpreters
    results = []
    print("ns per call of a C function, with the loop around it; medians of %d rounds" % ROUNDS)
    print("%-10s %-20s %-30s %8s %8s %8s %8s" % ("CPython", "call", "seen by", "bare", "off", "on", "added"))
    for interpreter in interpreters():
        rows, switch = measure(interpreter.path, LIBRARY)
        for call, row in rows.items():
            figures = tuple(row[column] for column in ("bare", "off", "on", "added"))
            print("%-10s %-20s %-30s %8.1f %8.1f %8.1f %8.1f" % ((interpreter.name, call, LOOPS[call]) + figures), flush=True)
        print("%-10s switch to level 3 and back: %.0f ns" % (interpreter.name, switch))
        results.append({"python": interpreter.name, "calls": rows, "switch": switch})
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"bench": "bench_native", "unit": "ns", "rounds": ROUNDS, "results": results}, f, indent=1)


if __name__ == "__main__":
    main()
