#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a hooked CUDA call costs: bench_call.c without the library, under its twin (same wrappers, records nothing), disarmed (nowhere to
write: every hook passes through), recording each call with its time, and counting short ones (OVH_TIME_QUERIES), taking turns. ns over the bare call, medians over the turns. `bench_call.py --json FILE`."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

BUILD, OUT = os.path.abspath(os.environ.get("BUILD", "build/x86_64")), os.path.abspath(os.environ.get("OUT", "."))
PROGRAM = os.path.join(BUILD, "tests/bench/bench_call")
TURNS = 7


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    options = parser.parse_args()
    ovh, twin = os.path.join(OUT, "libovh.so"), os.path.join(BUILD, "libovh-twin.so")
    ways = {"bare": {}, "twin": {"LD_PRELOAD": twin}, "disarmed": {"LD_PRELOAD": ovh, "OVH_OUT": "/proc/nowhere/trace.bin"}, "recording": {"LD_PRELOAD": ovh, "OVH_TIME_QUERIES": "1"},
            "counting": {"LD_PRELOAD": ovh}}
    found = {way: {"linked": [], "dlsym": []} for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TURNS):
            for way, variables in ways.items():
                text = subprocess.run([PROGRAM], cwd=folder, env={**os.environ, "OVH_QUIET": "1", **variables}, check=True, stdout=subprocess.PIPE).stdout
                for route, figures in json.loads(text).items():
                    found[way][route].append(figures["median_ns"])
                for left in os.listdir(folder):
                    os.unlink(os.path.join(folder, left))
    result = {"bench": "bench_call", "unit": "ns per call", "turns": TURNS}
    for route in ("linked", "dlsym"):
        bare = statistics.median(found["bare"][route])
        result[route] = {"bare": round(bare, 2), **{way: round(statistics.median(found[way][route]) - bare, 2) for way in ways if way != "bare"}}
        print("%-8s bare %5.2f ns;  over it: %s" % (route, bare, ", ".join("%s %.2f" % (w, result[route][w]) for w in ways if w != "bare")))
    if options.json:
        with open(options.json, "w") as f:
            json.dump(result, f, indent=1)


if __name__ == "__main__":
    main()
