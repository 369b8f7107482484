#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast ovh-report reads: spans per second on one core, from a trace of tens of millions of spans whose chunks are copies of one.

    bench_report.py [--json FILE] [--spans N] [--rounds N]

The trace is made in the build folder and deleted afterwards. Its units of work are like torch's Linear: 3 Python frames, 14 CUDA calls.
The time is the CPU time of the whole process (checksums, three passes, the report): on a shared machine the clock on the wall measures the
others. Both are in the results."""
import argparse
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import synthetic
from synthetic import CUBLAS, CUDART, DRIVER, GEMM, LAUNCH, QUERY
from trace_reader import xxh32

STRIDE = 256 << 10


def unit(t, thread):
    """One forward of Linear; returns a function that plays it."""
    wrapped, call, forward = (t.python(n) for n in ("Module._wrapped_call_impl", "Module._call_impl", "Linear.forward"))
    device = t.hooked("cudaGetDevice", CUDART, QUERY)
    stream, mode = t.hooked("cublasSetStream_v2", CUBLAS), t.hooked("cublasSetMathMode", CUBLAS)
    gemm, launch = t.hooked("cublasGemmEx", CUBLAS, GEMM), t.hooked("cuLaunchKernelEx", DRIVER, LAUNCH)

    def play():
        thread.call(wrapped, 210, lambda: thread.call(call, 300, lambda: thread.call(
            forward, 400, *[lambda: thread.call(device, 70)] * 8, lambda: thread.call(stream, 70), *[lambda: thread.call(mode, 22)] * 3,
            lambda: thread.call(gemm, 3000, lambda: thread.call(launch, 2200), 3300), 500), 250), 140)
        thread.now += 90
    return play, 17


def make(path, spans):
    """Returns how many spans the trace really has."""
    synthetic.STRIDE = STRIDE
    t = synthetic.Trace()
    thread = t.thread()
    loop = t.python("loop", "/x/bench.py", 3)
    thread.snapshot([loop])
    play, per_unit = unit(t, thread)
    begin, units = thread.now, 0
    while len(thread.words) < (STRIDE - 512) // 4 - 200:
        play()
        units += 1
    assert len(thread.chunks) == 1
    words, length = thread.words, thread.now - begin
    payload = struct.pack("<%dI" % len(words), *words)
    check, chunks = xxh32(payload), -(-spans // (units * per_unit))
    thread.chunks = []
    with open(path, "wb") as f:
        f.write(t.bytes())
        for n in range(chunks):
            first = struct.pack("<IHHIIQQQ", 0x4B48564F, 1, 0, n + 1, 1, n, begin + n * length, 0)
            head = first + struct.pack("<III", len(payload), check, xxh32(first)) + bytes(12)
            f.write(head + payload + bytes(STRIDE - len(head) - len(payload)))
    return chunks * units * per_unit, chunks * units


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--spans", type=int, default=30_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    report = os.path.join(ROOT, os.environ.get("OUT", "."), "ovh-report")
    build = os.path.join(ROOT, os.environ.get("BUILD", "build"))
    os.makedirs(build, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=build, suffix=".bin") as f:
        spans, units = make(f.name, args.spans)
        seconds, wall = [], []
        for _ in range(args.rounds):
            start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            p = subprocess.run(["taskset", "-c", "0", report, "--format", "json", f.name], stdout=subprocess.PIPE, check=False)
            wall.append(time.perf_counter() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        result = json.loads(p.stdout)["reports"][0]
        size = os.path.getsize(f.name)
    found = result["unit"]["statistics"]["n"]
    assert found == units, "the report found %d units of %d" % (found, units)
    best = spans / min(seconds)
    print("%d spans (%d MB), %d units: %.2f s of CPU time, %.1f M spans/s on one core (best of %d); %.2f s on the wall" %
          (spans, size >> 20, units, min(seconds), best / 1e6, args.rounds, min(wall)))
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"bench": "bench_report", "spans": spans, "bytes": size, "units": units, "cpu_seconds": seconds, "wall_seconds": wall,
                       "spans_per_second": best}, f, indent=1)


if __name__ == "__main__":
    main()
