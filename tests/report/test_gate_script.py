#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/ci/overhead_gate.sh: records both sides in turns on the simulated device, and its exit status is the gate's."""
import os
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main

TOOLS = os.path.abspath(os.path.join(ROOT, os.environ.get("OUT", ".")))
BUILD = os.path.abspath(os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64")))


def gate(limits, runs=1, **more):
    env = {**os.environ, "PATH": TOOLS + os.pathsep + os.environ["PATH"], "OVH_GATE": limits, "OVH_SIM_DIR": os.path.join(BUILD, "sim"), **more}
    return subprocess.run([os.path.join(ROOT, "examples/ci/overhead_gate.sh"), str(runs), sys.executable, sys.executable,
                           os.path.join(ROOT, "examples/linear_without_torch.py")], env=env, capture_output=True, text=True, timeout=120)


def test_counts_of_one_run():
    p = gate("launches=base,cuda-calls<=base")
    assert p.returncode == 0 and "fine" in p.stdout and "2 sides" in p.stdout, (p.stdout, p.stderr)
    p = gate("launches=99")
    assert p.returncode == 1 and "WORSE" in p.stdout, (p.stdout, p.stderr)


def test_time_of_several_runs():
    """four runs of each side: intervals from the runs; a limit that nothing reaches is kept"""
    p = gate("host=900%", 4, OVH_GATE_LAYOUT="random")
    assert p.returncode == 0 and "and 3 more runs" in p.stdout and "from how the runs differ" in p.stdout, (p.stdout, p.stderr)


if __name__ == "__main__":
    main()
