#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example without PyTorch on the simulated device: what `make demo` shows where PyTorch is not to be had."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from recorded import OUT, ROOT, Recorded
from tap import main

CALLS = 600
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def run(*options):
    with tempfile.TemporaryDirectory() as where:
        return Recorded(where, [PYTHON, os.path.join(ROOT, "examples/linear_without_torch.py"), "--size", "64", "--calls", str(CALLS)], *options)


def test_each_call_is_seen_with_its_launch_and_its_gemm():
    r = run()
    unit = r.report["unit"]
    assert unit, r.report["why_no_unit"]
    counted = unit["statistics"]["counted"]
    assert counted >= CALLS * 0.5 and unit["counts"]["gemms"] == counted == unit["counts"]["launches"], unit
    steps = {s["name"] for s in unit["steps"]}
    assert {"Linear.forward", "cudaGetDevice", "cublasSgemm_v2"} <= steps, steps
    assert r.report["simulated_device"] is True and "simulated device" in r.text.splitlines()[0]


def test_unit_named_when_recording_is_the_reports_default():
    r = run("--unit", "Device.current")
    assert r.report["unit"]["name"] == "Device.current", r.report["unit"]["name"]
    again = r.report["unit"]["statistics"]["n"]
    assert again >= CALLS, again


def test_the_simulated_device_is_told_without_ovh_record_too():
    """where the program loads the stand-ins for itself alone (ctypes, RTLD_LOCAL), the report still says that they are simulated"""
    with tempfile.TemporaryDirectory() as where:
        env = {k: v for k, v in os.environ.items() if not k.startswith("OVH_") and k not in ("RANK", "LOCAL_RANK")}
        env.update(LD_PRELOAD=OUT + "/libovh.so", LD_LIBRARY_PATH=os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"), "sim"))
        p = subprocess.run([PYTHON, os.path.join(ROOT, "examples/linear_without_torch.py"), "--size", "64", "--calls", "40"], cwd=where, env=env,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert p.returncode == 0, p.stderr
        p = subprocess.run([OUT + "/ovh-report", where + "/trace.bin"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert p.returncode == 0 and "simulated device" in p.stdout.splitlines()[0], p.stdout[:500]


if __name__ == "__main__":
    main()
