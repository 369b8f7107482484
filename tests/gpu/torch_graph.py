# SPDX-License-Identifier: Apache-2.0
"""Capture of a CUDA graph and twenty replays of it. Prints whether the replay computed what eager code does."""
import torch

a = torch.randn(256, 256, device="cuda")
b = torch.empty_like(a)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        b = torch.relu(a @ a) + 1
torch.cuda.current_stream().wait_stream(side)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    b = torch.relu(a @ a) + 1
for _ in range(20):
    g.replay()
torch.cuda.synchronize()
print("equal" if torch.allclose(b, torch.relu(a @ a) + 1, atol=1e-3) else "different")
