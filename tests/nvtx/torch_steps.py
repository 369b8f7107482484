# SPDX-License-Identifier: Apache-2.0
"""Steps of a PyTorch program with NVTX ranges: torch_steps.py STEPS."""
import sys

import torch

model = torch.nn.Linear(64, 64, device="cuda")
x = torch.empty((8, 64), device="cuda")
for i in range(int(sys.argv[1])):
    torch.cuda.nvtx.range_push("step")
    with torch.cuda.nvtx.range("forward"):
        y = model(x)
    with torch.cuda.nvtx.range("number %d" % i):
        y.sum()
    torch.cuda.nvtx.range_pop()
torch.cuda.nvtx.mark("done")
torch.cuda.synchronize()
