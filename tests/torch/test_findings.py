#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Easy wins of real PyTorch on the simulated device: none in torch's own Linear and in a plain MLP's training, all of them in a program made of them."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main, skip  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"))
OUT = os.path.join(ROOT, os.environ.get("OUT", "."))
PLAIN = """
import torch
linear = torch.nn.Linear(256, 256, device="cuda")
x = torch.randn(32, 256, device="cuda")
with torch.no_grad():
    for _ in range(300):
        linear(x)
"""
MLP = """
import torch
class MLP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.act, self.down = torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 256)
    def forward(self, x):
        return self.down(self.act(self.up(x)))
mlp = MLP().cuda()
optimizer = torch.optim.SGD(mlp.parameters(), lr=1e-3)
x = torch.randn(32, 256, device="cuda")
for _ in range(200):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(mlp(x), x).backward()
    optimizer.step()
"""
COSTLY = """
import torch
class Costly(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(256, 256)
    def forward(self, x):
        self.one, self.two, self.three = 1, 2, 3
        with torch.cuda.device(0):
            n = sum(1 for _ in self.parameters())
            torch.cuda.Event().record()
            y = self.linear(x)
        y.sum().item()
        return y
costly = Costly().cuda()
x = torch.randn(32, 256, device="cuda")
with torch.no_grad():
    for _ in range(300):
        costly(x)
"""


def findings(program):
    python = os.environ.get("OVH_TEST_TORCH") or os.path.join(ROOT, "build/venv-torch/bin/python")
    if not os.access(python, os.X_OK):
        skip("no PyTorch (OVH_TEST_TORCH names a Python that has one)")
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, OVH_SIM_DIR=os.path.join(BUILD, "sim"), OVH_QUIET="1", OVH_DETAIL="2")
        trace = os.path.join(folder, "trace.bin")
        subprocess.run([os.path.join(OUT, "ovh-record"), "--sim", "-q", "-o", trace, "--", python, "-c", program], env=env, check=True, timeout=300)
        p = subprocess.run([os.path.join(OUT, "ovh-report"), "--format", "json", "--findings", "0", trace], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    unit = json.loads(p.stdout)["reports"][0]["unit"]
    assert unit and unit["statistics"]["counted"] > 50, p.stdout[:2000]
    return {f["id"]: f for f in unit["findings"]}, unit["statistics"]["counted"]


def test_linear():
    """torch.nn.Linear: none, whatever it costs"""
    assert findings(PLAIN)[0] == {}


def test_mlp():
    """training an MLP: none"""
    assert findings(MLP)[0] == {}


def test_costly():
    """a program made of them: each is found, with its calls and place"""
    found, n = findings(COSTLY)
    assert {"module-setattr", "device-context", "walks-parameters", "event-created-on-every-call", "synchronises"} <= set(found), set(found)
    assert found["module-setattr"]["calls"] == 3 * n and found["module-setattr"]["places"][0]["name"] == "Costly.forward"
    assert found["synchronises"]["calls"] == n and found["synchronises"]["places"][0]["line"] == COSTLY[:COSTLY.index("y.sum()")].count("\n") + 1


if __name__ == "__main__":
    main()
