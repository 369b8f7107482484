#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Costs of a real run on the simulated device: from a trace whose times are known, through ovh-report --costs and ovh-record --costs, to
the fake clock and to the bytes that calls read."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests/report")]
from programs import Program, run as report  # noqa: E402
from tap import main  # noqa: E402

RECORD = os.path.join(ROOT, os.environ.get("OUT", "."), "ovh-record")
WORK = tempfile.TemporaryDirectory(prefix="ovh-costs-test-")

# Calls the simulated runtime and prints by how much the device's clock and the count of bytes have moved.
PROGRAM = """
import ctypes
runtime = ctypes.CDLL("libcudart.so.13", ctypes.RTLD_GLOBAL)
device = ctypes.CDLL("libovhsim.so.1")
device.ovh_sim_ticks.restype = device.ovh_sim_touched.restype = ctypes.c_uint64
pointer, number = ctypes.c_void_p(), ctypes.c_int()
runtime.cudaMalloc(ctypes.byref(pointer), 64)
def moved(call, *arguments):
    now, bytes = device.ovh_sim_ticks(), device.ovh_sim_touched()
    assert call(*arguments) == 0
    print(device.ovh_sim_ticks() - now, device.ovh_sim_touched() - bytes)
moved(runtime.cudaGetDevice, ctypes.byref(number))
moved(runtime.cudaDeviceSynchronize)
"""


def real_run():
    """100 calls of a forward, cudaGetDevice taking 700 ns twice in each, and a launch with 300 ns of driver in 2 us of cuBLAS."""
    p = Program()
    device = lambda: p.call(p.device, 700)
    driver = lambda: p.call(p.driver, 100, lambda: p.main.launch(p.kernel), 200)
    gemm = lambda: p.call(p.gemm, 1500, driver, 500)
    for _ in range(100):
        p.call(p.forward("Linear.forward"), 50, device, 10, device, 10, gemm, 40)
        p.main.now += 60
    return p.end()


def written(name, content):
    path = os.path.join(WORK.name, name)
    with open(path, "wb" if isinstance(content, bytes) else "w") as f:
        f.write(content)
    return path


def simulated(costs, *options, **env):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVH_SIM") and k != "LD_PRELOAD"}
    environment.update(env, OVH_SIM_CLOCK="fake", XDG_CACHE_HOME=WORK.name)
    words = [RECORD, "-q", "-o", os.path.join(WORK.name, "simulated.bin"), *options, *(["--costs", costs] if costs else [])]
    return subprocess.run([*words, "--", sys.executable, written("program.py", PROGRAM)], env=environment, capture_output=True, text=True,
                          timeout=120)


def figures(p):
    assert p.returncode == 0, (p.returncode, p.stderr)
    return [tuple(int(x) for x in line.split()) for line in p.stdout.splitlines()]


def rows(text):
    return [tuple(line.split()) for line in text.splitlines() if not line.startswith("#")]


def test_costs_are_self_times_per_function():
    status, out, err = report(real_run(), "--costs", "--warmup", "0")
    assert status == 0 and not err, (status, err)
    assert sorted(rows(out)) == [("cuLaunchKernelEx", "300", "100"), ("cublasGemmEx", "2000", "100"), ("cudaGetDevice", "700", "200")], out
    assert out.startswith("# FUNCTION NANOSECONDS CALLS") and out.splitlines()[0].count("100 counted units") == 1, out


def test_a_call_costs_what_it_did_in_the_trace():
    """the fake clock moves by the trace's time, to the ns, and the call reads 4096 bytes for each of its microseconds"""
    trace = written("real.bin", real_run().bytes(True))
    lines = 700 * 4096 // 1000 // 64
    assert figures(simulated(trace, "--sim")) == [(700, lines * 64), (0, 0)]


def test_a_text_does_what_its_trace_does():
    text = written("costs.txt", report(real_run(), "--costs", "--warmup", "0")[1])
    assert figures(simulated(text, "--sim")) == figures(simulated(written("real.bin", real_run().bytes(True)), "--sim"))


def test_by_hand_goes_before_the_file():
    text = written("costs.txt", "# mine\n\n  cudaGetDevice 700\ncudaDeviceSynchronize 50.4 3\n")
    assert figures(simulated(text, "--sim")) == [(700, 2816), (50, 192)]
    assert figures(simulated(text, "--sim", OVH_SIM_COSTS="cudaGetDevice=20", OVH_SIM_TOUCH="64K")) == [(20, 1280), (50, 3264)]
    assert figures(simulated(text, "--sim", OVH_SIM_TOUCH="0")) == [(700, 0), (50, 0)]


def test_costs_set_without_a_file_read_no_memory():
    assert figures(simulated(None, "--sim", OVH_SIM_COSTS="cudaGetDevice=900")) == [(900, 0), (0, 0)]


def refused(costs, why, *options):
    p = simulated(costs, *options)
    assert p.returncode == 2 and p.stderr.splitlines()[-1].startswith("ovh-record: --costs") and why in p.stderr, (p.returncode, p.stderr)
    return p.stderr.count("\n")


def test_what_is_no_file_of_costs_is_refused_with_one_sentence():
    for content in ("cudaMalloc\n", "cudaMalloc x\n", "cudaMalloc -3\n", "cudaMalloc 3 4 5\n", "cudaMalloc 3x\n", "cuda* 3\n", "a=1 3\n",
                    "cudaMalloc nan\n", "cudaMalloc 1e300\n", "\x7fELF\x01\n"):
        assert refused(written("wrong.txt", "# a comment\n" + content), "line 2 is not", "--sim") == 1, content
    assert refused(written("empty.txt", "# nothing\n"), "names no function's cost", "--sim") == 1
    assert refused(os.path.join(WORK.name, "absent"), "No such file", "--sim") == 1
    assert refused(written("many.txt", "".join("f%d 1\n" % i for i in range(201))), "more than 200 functions", "--sim") == 1
    assert refused(written("costs.txt", "cudaMalloc 3\n"), "with --sim only") == 1


def test_a_damaged_trace_is_refused():
    refused(written("damaged.bin", b"OVHTRACE" + bytes(40)), "could not read costs", "--sim")


def test_costs_are_about_one_trace():
    status, _, err = report([real_run(), real_run()], "--costs")
    assert status == 2 and err.count("\n") == 1 and "about one trace" in err, (status, err)


if __name__ == "__main__":
    main()
