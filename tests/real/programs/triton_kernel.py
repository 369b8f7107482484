# SPDX-License-Identifier: Apache-2.0
"""Triton's own launch: through its JIT dispatch, and of the compiled kernel."""
import torch
import triton
import triton.language as tl
from tell import value


@triton.jit
def add(x, y, z, n):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


torch.manual_seed(1)
x, z = torch.randn(4096, device="cuda"), torch.empty(4096, device="cuda")
for _ in range(100):
    compiled = add[(4,)](x, x, z, 4096)
print("jit", value(z), bool(torch.equal(z, x + x)))
runner = compiled[(4, 1, 1)]
for _ in range(100):
    runner(x, z, z, 4096)
print("compiled", value(z))
