#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's C functions under libovh.so at the highest level of detail: spans by name, under the function that called them;
torch.compile makes the same graphs, of the same code, with the same breaks."""
import collections
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import trace_reader
from tap import main, skip

STEPS = os.path.join(ROOT, "tests/torch/native_steps.py")
RECORD = os.path.join(ROOT, os.environ.get("OUT", "."), "ovh-record")


def python():
    path = os.environ.get("OVH_TEST_TORCH") or os.path.join(ROOT, "build/venv-torch/bin/python")
    if not os.access(path, os.X_OK):
        skip("no PyTorch (OVH_TEST_TORCH names a Python that has one)")
    return path


def run(what, level, read=False):
    """(what the program said, its trace) on the simulated device."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, OVH_DETAIL=level, OVH_CHUNK="1M", OVH_PYTHON_EVALUATOR="always", PYTHONDONTWRITEBYTECODE="1")
        out = os.path.join(folder, "trace.bin")
        command = [RECORD, "--sim", "-q", "-o", out, "--", python(), STEPS] + what
        p = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
        assert p.returncode == 0, p.stderr[-3000:]
        trace = trace_reader.read(out, check=False) if read else None
    return json.loads(p.stdout.splitlines()[-1]), trace


def test_calls_are_seen_by_name():
    """functions of torch._C, methods of a tensor, an overload of torch.ops, autograd.Function.apply"""
    calls, trace = run([], "3", read=True)
    assert trace.values["python.native"] == "slots" and not trace.losses, (trace.values, trace.losses)
    seen, files = collections.Counter(), {}
    for number in trace.events:
        spans = trace_reader.spans(trace, number)
        last = [s for s in spans if s.step.name == "measured"][-1:]
        for span in spans:
            above = span
            while above and above not in last:
                above = above.parent
            if above:
                seen.update(span.counted)  # short ones
            if above and span.step.class_ == trace_reader.NATIVE:
                seen[span.step.name] += 1
                files[span.step.name] = span.step.file
    different = {name: (n, seen[name]) for name, n in calls.items() if seen[name] != n}
    assert not different, "calls (made, in the trace): %s of %s" % (different, seen)
    assert files["torch._C._nn.linear"] == files["TensorBase.view"] == "libtorch_python.so", files


def test_torch_compile_is_the_same():
    """graphs, breaks and code of torch.compile, with C functions recorded and with launches alone"""
    bare, _ = run(["compile"], "0")
    recorded, _ = run(["compile"], "3")
    assert bare["graphs"] == 1 and bare["breaks"] == 0 and bare["ops"] > 3, bare
    assert recorded == bare, (recorded, bare)


if __name__ == "__main__":
    main()
