#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording Python frames costs, on every CPython found: ns per call and return of an empty function in a tight loop, without
the library, with it disarmed, and armed (taking turns in one process; thread CPU time, medians); and ns per hooked call where
frames are walked instead. `bench_frames.py --json FILE`;
`--child` is what runs in each interpreter."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS, CALLS, HOOKED = 31, 20000, 20000


def child(way):
    import ctypes
    library = ctypes.PyDLL(None)

    def empty():
        pass

    def loop(n):
        for _ in range(n):
            empty()

    def time_loop():
        start = time.thread_time_ns()
        loop(CALLS)
        return (time.thread_time_ns() - start) / CALLS

    def hooked(depth):
        if depth:
            return hooked(depth - 1)
        library.trigger_many(100)
        start = time.thread_time_ns()
        library.trigger_many(HOOKED)
        return (time.thread_time_ns() - start) / HOOKED

    if way == "bare":
        return {"bare": [time_loop() for _ in range(ROUNDS)]}
    library.trigger()
    if way == "never":
        return {"depth %d" % d: [hooked(d) for _ in range(ROUNDS)] for d in (5, 10, 20)}
    result = {"disarmed": [], "armed": []}
    loop(CALLS)
    for _ in range(ROUNDS):
        library.trigger_frames_off()
        result["disarmed"].append(time_loop())
        library.trigger_frames_on()
        loop(1000)
        result["armed"].append(time_loop())
    result["hooked"] = [hooked(5) for _ in range(ROUNDS)]
    return result


def run(interpreter, way, library):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, OVH_OUT=folder + "/trace.bin", OVH_PYTHON_EVALUATOR=way, OVH_QUIET="1")
        environment.pop("LD_PRELOAD", None)
        if way != "bare":
            environment["LD_PRELOAD"] = library
        command = [interpreter, os.path.abspath(__file__), "--child", way]
        out = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    return {name: statistics.median(values) for name, values in json.loads(out).items()}


def measure(interpreter, library):
    """ns: {what: value}. Bare processes before and after the recorded one, the lower of the two."""
    first = run(interpreter, "bare", library)
    result = run(interpreter, "always", library)
    result["bare"] = min(first["bare"], run(interpreter, "bare", library)["bare"])
    result["added"] = result["armed"] - result["disarmed"]
    result.update(("walked at " + name, value) for name, value in run(interpreter, "never", library).items())
    return result


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
    rows, columns = [], ["bare", "disarmed", "armed", "added", "hooked"] + ["walked at depth %d" % d for d in (5, 10, 20)]
    print("ns per call and return of an empty Python function, and per hooked call; medians of %d rounds" % ROUNDS)
    print("%-10s %s" % ("CPython", " ".join("%18s" % c for c in columns)))
    for interpreter in interpreters():
        result = measure(interpreter.path, LIBRARY)
        print("%-10s %s" % (interpreter.name, " ".join("%18.1f" % result[c] for c in columns)), flush=True)
        rows.append(dict(result, python=interpreter.name))
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"bench": "bench_frames", "unit": "ns", "rounds": ROUNDS, "results": rows}, f, indent=1)


if __name__ == "__main__":
    main()
