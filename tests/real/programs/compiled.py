# SPDX-License-Identifier: Apache-2.0
"""torch.compile (inductor where there is a GPU, else aot_eager), forward and backward, with a graph break and a changing batch."""
import torch
from tell import SIMULATED, value

torch.manual_seed(1)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.norm, self.down = torch.nn.Linear(64, 128), torch.nn.LayerNorm(128), torch.nn.Linear(128, 64)

    def forward(self, x):
        y = self.norm(torch.nn.functional.gelu(self.up(x)))
        torch._dynamo.graph_break()
        return x + self.down(y)


block = Block().cuda()
compiled = torch.compile(block, backend="aot_eager" if SIMULATED else "inductor")
for batch in [16] * 20 + [24] * 20 + [16] * 20:
    block.zero_grad(set_to_none=True)
    y = compiled(torch.ones(batch, 64, device="cuda"))
    y.square().mean().backward()
print("compiled", value(y), value(block.down.weight.grad))
counters = torch._dynamo.utils.counters
print("graphs", counters["stats"]["unique_graphs"], "frames", sorted(counters["frames"].items()), "breaks", sum(counters["graph_break"].values()))
