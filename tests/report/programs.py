# SPDX-License-Identifier: Apache-2.0
"""Programs whose traces the tests of the report are about, and the report of a trace as JSON."""
import json
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from synthetic import (COPY, COPY_SYNC, CUBLAS, CUDART, DRIVER, EVENT, GEMM, LAUNCH, PYTHON, QUERY, R_ELAPSED, R_HANDLE, SYNC, Trace)

REPORT = os.path.join(ROOT, os.environ.get("OUT", "."), "ovh-report")
TORCH = "/v/lib/python3.11/site-packages/torch/"


def run(trace, *options, sealed=True, env=None):
    """ovh-report's (status, stdout, stderr) for a Trace, bytes, or a list of them."""
    traces = trace if isinstance(trace, list) else [trace]
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, t in enumerate(traces):
            names.append(os.path.join(folder, "%d.bin" % i))
            with open(names[-1], "wb") as f:
                f.write(t if isinstance(t, bytes) else t.bytes(sealed))
        p = subprocess.run([REPORT, *options, *names], capture_output=True, text=True, env={**os.environ, **(env or {})})
    return p.returncode, p.stdout, p.stderr


def report(trace, *options, status=0, sealed=True):
    """The JSON report of one trace. Whatever it is about, its sums are checked: self times of the classes are the units' wall time."""
    code, out, err = run(trace, "--format", "json", *options, sealed=sealed)
    assert code == status, (code, err)
    everything = json.loads(out)
    assert everything["schema"] == "ovh-report" and everything["version"] == 1
    r = everything["reports"][0]
    u = r["unit"]
    if u:
        assert u["sum_ns"] == u["wall_ns"] == sum(c["ns"] for c in u["classes"].values()), u
        assert sum(s["ns"] for s in u["steps"]) == u["wall_ns"]
        for key in ("calls", "calls_timed", "estimated_ns"):
            assert sum(s[key] for s in u["steps"]) == sum(c[key] for c in u["classes"].values()), key
        assert u["state_calls"]["estimated_ns"] == sum(s["estimated_ns"] for s in u["steps"])
        n = u["statistics"]
        assert n["warmup"] + n["counted"] + n["pauses"] == n["n"]
    run_sum = sum(c["ns"] for c in r["run"]["classes"].values())
    assert run_sum == sum(t["recorded_ns"] for t in r["run"]["threads"])
    return r


def step(r, name):
    found = [s for s in r["unit"]["steps"] if s["name"] == name]
    assert len(found) == 1, (name, r["unit"]["steps"])
    return found[0]


def timed(ns, calls):
    """The JSON of a class whose calls were all timed."""
    return {"ns": ns, "calls": calls, "calls_timed": calls, "estimated_ns": 0}


def names(r):
    return {s["name"] for s in r["unit"]["steps"]}


class Program:
    """The steps that the programs share, and one thread that plays them."""

    def __init__(self, simulated=False, python=True):
        t = self.trace = Trace(simulated)
        self.main = t.thread("python")
        self.call = self.main.call
        self.module = t.python("<module>", "/home/u/bench.py", 1)
        self.wrapped = t.python("Module._wrapped_call_impl", TORCH + "nn/modules/module.py", 1739)
        self.impl = t.python("Module._call_impl", TORCH + "nn/modules/module.py", 1747)
        self.device = t.hooked("cudaGetDevice", CUDART, QUERY)
        self.gemm = t.hooked("cublasGemmEx", CUBLAS, GEMM)
        self.driver = t.hooked("cuLaunchKernelEx", DRIVER, LAUNCH)
        self.runtime = t.hooked("cudaLaunchKernel", CUDART, LAUNCH)
        self.sync = t.hooked("cudaDeviceSynchronize", CUDART, SYNC)
        self.copy = t.hooked("cudaMemcpyAsync", CUDART, COPY)
        self.copy_sync = t.hooked("cudaMemcpy", CUDART, COPY_SYNC)
        self.event = t.hooked("cudaEventRecord", CUDART, EVENT)
        self.driver_event = t.hooked("cuEventRecord", DRIVER, EVENT)
        self.elapsed = t.hooked("cudaEventElapsedTime", CUDART, EVENT)
        self.kernel = t.kernel("gemm_128x128")
        self.forwards = {}
        if python:
            self.main.snapshot([self.module])

    def forward(self, name):
        if name not in self.forwards:
            self.forwards[name] = self.trace.python(name, TORCH + "nn/modules/%s.py" % name.split(".")[0].lower(), 124)
        return self.forwards[name]

    def in_module(self, name, *body):
        """A call of an nn.Module: 300 + 400 ns before its forward, 200 + 100 after it, around the body."""
        self.call(self.wrapped, 300, lambda: self.call(self.impl, 400, lambda: self.call(self.forward(name), *body), 200), 100)

    def launch_driver(self, before=2000, after=2400, flags=0):
        self.call(self.driver, before, lambda: self.main.launch(self.kernel, flags), after)

    def linear(self, name="Linear.forward", gemm=3000):
        """torch's Linear: 1600 + 1000 ns of Python, 2 x 70 cudart, gemm + 3600 cublas, 4400 driver."""
        self.in_module(name, 500, lambda: self.call(self.device, 70), 100, lambda: self.call(self.device, 70), 200,
                       lambda: self.call(self.gemm, gemm, self.launch_driver, 3600), 800)

    LINEAR = {"python": 2600, "cudart": 140, "cublas": 6600, "driver": 4400}  # sum 13 740

    def record_event(self, handle):
        """As in a real trace: the runtime's call and the driver's inside both tell of it."""
        told = lambda: self.main.record(R_HANDLE, 2, handle, 0, 0, 0)
        self.call(self.event, 500, lambda: self.call(self.driver_event, 300, told), told)

    def ask_elapsed(self, us):
        self.call(self.elapsed, 300, lambda: self.main.record(R_ELAPSED, 0, struct.unpack("<I", struct.pack("<f", us))[0]))

    def end(self):
        while self.main.open:
            self.main.now += 10
            self.main.leave()
        self.trace.end()
        return self.trace
