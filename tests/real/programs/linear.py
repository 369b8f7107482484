# SPDX-License-Identifier: Apache-2.0
"""nn.Linear forward, then forward and backward (on autograd's own thread) with hooks on the gradients."""
import torch
from tell import value

torch.manual_seed(1)
linear = torch.nn.Linear(256, 128, device="cuda", dtype=torch.bfloat16)
x = torch.randn(64, 256, device="cuda", dtype=torch.bfloat16, requires_grad=True)
with torch.no_grad():
    for _ in range(100):
        y = linear(x)
print("forward", value(y))
seen = []
linear.weight.register_hook(lambda gradient: seen.append(tuple(gradient.shape)))
for _ in range(50):
    linear.zero_grad(set_to_none=True)
    x.grad = None
    linear(x).float().pow(2).sum().backward()
print("backward", value(linear.weight.grad), value(linear.bias.grad), value(x.grad))
print("hooks", len(seen), set(seen))
