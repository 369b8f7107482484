#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of a real network: module_steps.py counts the calls of its modules by itself; the report must say the same of each path."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from tap import main
from test_simulated import BUILD, OUT, python


def recorded(interpreter, **env):
    """(what the program says, the JSON report of its steps)"""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "OVH_SIM_DIR": os.path.join(BUILD, "sim"), "OVH_QUIET": "1", "OVH_UNIT": "step", **env}
        r = subprocess.run([os.path.join(OUT, "ovh-record"), "--sim", "-q", "--", interpreter, os.path.join(HERE, "module_steps.py")], cwd=folder,
                           env=env, capture_output=True, text=True, timeout=300)
        assert r.returncode == 0, r.stderr[-3000:]
        with open(os.path.join(folder, "says")) as f:
            truth = json.load(f)
        command = [os.path.join(OUT, "ovh-report"), "--format", "json", "--warmup", "2", os.path.join(folder, "trace.bin")]
        r = subprocess.run(command, capture_output=True, text=True)
        return truth, json.loads(r.stdout)["reports"][0]


def check(interpreter, **env):
    truth, report = recorded(interpreter, **env)
    unit, steps = report["unit"], truth["steps"]
    m, n = unit["modules"], unit["statistics"]["counted"]
    assert 5 <= n <= steps and unit["name"] == "step", unit["statistics"]
    per_step = {name: count / steps for name, count in truth["calls"].items()}
    got = {}
    for row in m["rows"]:
        name = "(%s)" % row["type"].split(".")[-1] if row["unnamed"] else row["name"]
        assert name not in got, name
        got[name] = row["calls"] / n
    assert got == per_step, (got, per_step)
    assert len(got) > 20 and got["layers.2.0"] == 3 and got["shared"] == 2 and got["(Sigmoid)"] == 1, got
    assert abs(sum(r["self_ns"] for r in m["rows"]) + m["outside_ns"] + m["backward"]["self_ns"] - unit["wall_ns"]) < 1e-6 * unit["wall_ns"]
    back = m["backward"]
    assert back["calls"] == n and abs(back["engine_ns"] + back["hand_over_ns"] - back["ns"]) < 1, back
    assert back["calls_not_divided"] == 0 and 0 < back["divided_ns"] < back["engine_ns"] < back["ns"], back
    ran = {row["name"]: row["backward_calls"] / n for row in m["rows"] if row["backward_calls"]}
    assert ran == {name: count / steps for name, count in truth["backwards"].items()} and len(ran) == 4, (ran, truth["backwards"])


def test_new():
    """a current PyTorch"""
    check(python("OVH_TEST_TORCH", "build/venv-torch/bin/python"), OVH_DETAIL="2")


def test_new_native():
    """a current PyTorch, C functions recorded"""
    check(python("OVH_TEST_TORCH", "build/venv-torch/bin/python"), OVH_DETAIL="3")


def test_old():
    """an older PyTorch"""
    check(python("OVH_TEST_TORCH_OLD", "build/venv-torch-old/bin/python"), OVH_DETAIL="2")


if __name__ == "__main__":
    main()
