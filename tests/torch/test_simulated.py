#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real PyTorch on the simulated device: a current release and an older one, bare and under libovh.so, with the same words on stdout."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main, skip  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"))
OUT = os.path.join(ROOT, os.environ.get("OUT", "."))
PARTS = ["name", "linear", "encoder", "events", "copies", "streams", "graphs", "memory"]
STEPS = os.path.join(ROOT, "tests/torch/simulated_steps.py")
bare = {}


def python(variable, default):
    path = os.environ.get(variable) or os.path.join(ROOT, default)
    if not os.access(path, os.X_OK):
        skip("no PyTorch (%s names a Python that has one)" % variable)
    return path


def steps(*before):
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, OVH_SIM_DIR=os.path.join(BUILD, "sim"), OVH_OUT=os.path.join(folder, "trace.bin"), OVH_QUIET="1", OVH_DETAIL="2",
                   OVH_SIM_CLOCK="fake")  # a host that is not given the CPU for a while does not find the device idle
        r = subprocess.run(list(before) + [STEPS] + PARTS, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           timeout=500)
        trace = os.path.join(folder, "trace.bin")
        return r, os.path.getsize(trace) if os.path.exists(trace) else 0


def run_bare(name, path):
    if name not in bare:
        bare[name] = steps(os.path.join(BUILD, "tests/sim/simulated"), path)[0]
    r = bare[name]
    assert r.returncode == 0, r.stderr[-3000:]
    done = [line.split()[0] for line in r.stdout.splitlines()]
    assert done == PARTS, (done, r.stderr[-2000:])
    assert "simulated" in r.stdout.splitlines()[0]
    return r


def run_recorded(name, path):
    expected = run_bare(name, path).stdout
    r, size = steps(os.path.join(OUT, "ovh-record"), "--sim", "-q", "--", path)
    assert r.returncode == 0, r.stderr[-3000:]
    assert r.stdout == expected, r.stdout
    assert size > 4096, "no trace"


def test_new():
    """a current PyTorch: Linear, training step, events, copies, streams, graphs, memory"""
    run_bare("new", python("OVH_TEST_TORCH", "build/venv-torch/bin/python"))


def test_old():
    """an older PyTorch, with CUDA 12's libraries: the same"""
    run_bare("old", python("OVH_TEST_TORCH_OLD", "build/venv-torch-old/bin/python"))


def test_new_recorded():
    """the current one under libovh.so: same output, and a trace"""
    run_recorded("new", python("OVH_TEST_TORCH", "build/venv-torch/bin/python"))


def test_old_recorded():
    """the older one under libovh.so: same output, and a trace"""
    run_recorded("old", python("OVH_TEST_TORCH_OLD", "build/venv-torch-old/bin/python"))


def recorded_program(text, **more):
    """`text` as a program under ovh-record --sim, in a folder of its own. Returns what it writes into the file "says", and stderr."""
    path = python("OVH_TEST_TORCH", "build/venv-torch/bin/python")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "OVH_DETAIL": "2", "OVH_SIM_DIR": os.path.join(BUILD, "sim"), **more.pop("env", {})}
        r = subprocess.run([os.path.join(OUT, "ovh-record"), "--sim", "-q", "--", path, "-c", text], cwd=folder, env=env,
                           stderr=subprocess.PIPE, text=True, timeout=200, **more)
        assert r.returncode == 0, r.stderr[-3000:]
        with open(os.path.join(folder, "says")) as said:
            return said.read(), r.stderr


def test_closed_streams():
    """ovh-record --sim finds torch's libraries also where standard input and output are closed"""
    said, _ = recorded_program("import torch; open('says', 'w').write(str(torch.zeros(3, device='cuda').shape))",
                               preexec_fn=lambda: (os.close(0), os.close(1)))
    assert said == "torch.Size([3])", said


def test_returns():
    """OVH_SIM_RETURNS: an empty library's function returns what was asked for; what makes no sense is named and left out"""
    said, words = recorded_program("import torch; open('says', 'w').write(str(torch._C._cudnn.getVersionInt()))",
                                   env={"OVH_SIM_RETURNS": "cudnnGetVersion=91900,nothing=1,cudnnGetVersion,a=-1"})
    assert said == "91900" and words.count("ignored\n") == 3 and words.count("\n") == 3, (said, words)


if __name__ == "__main__":
    main()
