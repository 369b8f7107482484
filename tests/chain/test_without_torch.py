#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example without PyTorch on the simulated device: what `make demo` shows where PyTorch is not to be had."""
import os
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from recorded import ROOT, Recorded
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


if __name__ == "__main__":
    main()
