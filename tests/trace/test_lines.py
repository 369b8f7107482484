#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line tables of code objects against what the CPython that made them says."""
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main, skip

PROGRAM = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"), "tests/trace/lines")


def find(version):
    """In PATH, else where pyenv keeps its own."""
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    for python in [shutil.which("python" + version)] + sorted(glob.glob("%s/versions/%s.*/bin/python" % (pyenv, version))):
        if python and subprocess.run([python, "-c", "import ctypes"], capture_output=True).returncode == 0:
            return python
    skip("no python" + version)


def compare(version):
    python = find(version)
    out = subprocess.run([python, os.path.join(HERE, "line_truth.py")], capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, out.stderr[-500:]
    asked, truth = zip(*(line.split(" | ", 1) for line in out.stdout.splitlines()))
    got = subprocess.run([PROGRAM], input="\n".join(asked) + "\n", capture_output=True, text=True, timeout=120)
    answers = [a.split() for a in got.stdout.splitlines()]
    assert got.returncode == 0 and len(answers) == len(truth) > 500, (got.returncode, len(answers), len(truth))
    wrong = [(q, a, t.split()) for q, a, t in zip(asked, answers, truth) if a != t.split()]
    assert not wrong, "%d of %d code objects differ; the first: %r" % (len(wrong), len(truth), wrong[0])


def test_lnotab_of_python_3_9():
    compare("3.9")


def test_linetable_of_python_3_10():
    compare("3.10")


def test_locations_of_python_3_11():
    compare("3.11")


def test_locations_of_python_3_12():
    compare("3.12")


def test_locations_of_python_3_13():
    compare("3.13")


if __name__ == "__main__":
    main()
