#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs on the simulated device, bare and under libovh.so: the same words on stdout, the same launches, and as many in the trace as
the device counted. tests/gpu/guests.sh runs the same programs (and those that need a GPU) against CUPTI's count."""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests")]
from launches import launches  # noqa: E402
from tap import main, skip  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"))
OUT = os.path.join(ROOT, os.environ.get("OUT", "."))
TORCH = os.environ.get("OVH_TEST_TORCH") or os.path.join(ROOT, "build/venv-torch/bin/python")


def needs(python, module, **env):
    if not os.access(python, os.X_OK):
        skip("no PyTorch (OVH_TEST_TORCH names a Python that has one)")
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec(%r) is None)" % module
    if subprocess.run([python, "-c", look], env=dict(os.environ, **env)).returncode:
        skip("no %s" % module)


def run(python, programs, before, env):
    """(what the programs wrote on stdout, the device's counts of kernel and graph launches, those of the traces)"""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, OVH_SIM_DIR=os.path.join(BUILD, "sim"), OVH_SIM_CLOCK="fake", OVH_QUIET="1",
                   REAL_COUNTS=os.path.join(folder, "counts"), **env)
        r = subprocess.run([*before, python, os.path.join(HERE, "run.py"), *programs], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        assert r.returncode == 0, r.stderr[-3000:]
        with open(os.path.join(folder, "counts")) as counts:
            device = tuple(map(int, counts.read().split()))
        return r.stdout, device, launches(os.path.join(OUT, "ovh-report"), glob.glob(os.path.join(folder, "trace*.bin")))


def compare(python, *programs, details=("auto",), **env):
    bare, counted, none = run(python, programs, [os.path.join(BUILD, "tests/sim/simulated")], env)
    assert bare and counted[0] > 50 and none == (0, 0), (bare, counted, none)
    for detail in details:
        words, device, traced = run(python, programs, [os.path.join(OUT, "ovh-record"), "--sim", "-q", "--"], dict(env, OVH_DETAIL=detail))
        assert words == bare, "detail %s: it says\n%s\nbare:\n%s" % (detail, words, bare)
        assert device == counted and traced == counted, "detail %s: launched %s, bare %s, in the trace %s" % (detail, device, counted, traced)


def test_torch():
    """torch.mm, Linear, backward, CUDA graphs, a decoder with a cache, AMP training with DataLoader workers"""
    needs(TORCH, "torch")
    compare(TORCH, "mm", "linear", "graphs", "decoder", "amp_loader", details=("auto", "3"))


def test_torch_compile():
    """torch.compile (aot_eager), forward and backward, with a graph break and a changing batch"""
    needs(TORCH, "torch")
    compare(TORCH, "compiled")


def test_generate():
    """transformers' generate of a tiny Llama"""
    needs(TORCH, "transformers")
    compare(TORCH, "generate")


def test_layernorm_mlp():
    """Transformer Engine's LayerNormMLP with FP8"""
    folder, python = os.environ.get("OVH_TEST_TE"), os.environ.get("OVH_TEST_TE_PYTHON", TORCH)
    if not folder:
        skip("no Transformer Engine (OVH_TEST_TE names the folder it lies in, OVH_TEST_TE_PYTHON a Python that has its PyTorch)")
    needs(python, "transformer_engine", PYTHONPATH=folder)
    # No NVRTC on the simulated device: a release with norms that need none (2.9).
    compare(python, "layernorm_mlp", PYTHONPATH=folder, OVH_SIM_RETURNS="cudnnGetVersion=91900", NVTE_DISABLE_NVRTC="1",
            OVH_PYTHON_EVALUATOR="always")


if __name__ == "__main__":
    main()
