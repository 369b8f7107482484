#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""seeds.py FOLDER: small traces that have what a report looks for (a loop, modules, waits, windows, several threads), as seeds for the
fuzzer beside the golden ones. Chunks are as small as the format allows, so that all parts are within a fuzzer's reach."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import synthetic as s  # noqa: E402

s.STRIDE = 4096


def loop(units, simulated=False, wait=False, counted=False, threads=1, failed=False):
    t = s.Trace(simulated)
    t.value("command", "python x.py")
    t.probe(1, 20)
    t.probe(2, 45)
    step, forward = t.python("step", "/x/x.py", 3), t.python("Linear.forward")
    launch, driver = t.hooked("cudaLaunchKernel", s.CUDART, s.LAUNCH), t.hooked("cuLaunchKernel", s.DRIVER, s.LAUNCH)
    sync, query = t.hooked("cudaDeviceSynchronize", s.CUDART, s.SYNC), t.hooked("cudaGetDevice", s.CUDART, s.QUERY)
    kernel = t.kernel("gemm")
    for number in range(threads):
        th = t.thread("python" if not number else "worker")
        main = t.python("main", "/x/x.py", 1)
        th.enter(main)
        for i in range(units):
            body = [100, lambda th=th: th.call(forward, 50, lambda: th.call(launch, 20, lambda: th.launch(kernel), lambda: th.call(
                driver, 900, failed=failed), 30), 40)]
            if counted:
                body += [lambda th=th: th.counted(query, 3), lambda th=th: th.call(query, 60)]
            if wait:
                body += [lambda th=th: th.call(sync, 5000)]
            th.call(step, *body, 80 + i % 3)
        th.leave()
    t.end()
    return t


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, trace in {"loop": loop(40), "waits": loop(30, wait=True), "counted": loop(30, True, counted=True), "threads": loop(12, threads=3),
                        "failed": loop(12, wait=True, counted=True, failed=True)}.items():
        trace.write(os.path.join(folder, "seed-%s.bin" % name))


if __name__ == "__main__":
    main()
