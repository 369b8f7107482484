#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch.compile makes the same graphs, guards and breaks, and torch.profiler counts the same, with and without us, at every level."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from tap import main
from test_simulated import BUILD, OUT, python


def run(*before, **settings):
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, OVH_SIM_DIR=os.path.join(BUILD, "sim"), OVH_OUT=folder + "/trace.bin", OVH_QUIET="1", **settings)
        r = subprocess.run([*before, os.path.join(HERE, "compiled_steps.py")], cwd=folder, env=env, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=300)
        assert r.returncode == 0, r.stderr[-3000:]
        return json.loads(r.stdout.splitlines()[-1])


def test_compile_and_profiler():
    """torch.compile's graphs, guards and breaks and torch.profiler's counts are the same"""
    path = python("OVH_TEST_TORCH", "build/venv-torch/bin/python")
    bare = run(os.path.join(BUILD, "tests/sim/simulated"), path)
    assert len(bare["graphs"]) > 2 and bare["guards"] and bare["explained"][1] > 0, bare["explained"]
    for detail in ("3", "auto"):
        ours = run(os.path.join(OUT, "ovh-record"), "--sim", "-q", "--", path, OVH_DETAIL=detail)
        for what in bare:
            assert ours[what] == bare[what], (detail, what, bare[what], ours[what])


if __name__ == "__main__":
    main()
