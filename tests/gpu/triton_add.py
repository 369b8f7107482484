# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel launched a hundred times. Prints whether it added right."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


x = torch.randn(4096, device="cuda")
z = torch.empty_like(x)
for _ in range(100):
    add[(4,)](x, x, z, 4096, BLOCK=1024)
torch.cuda.synchronize()
print("equal" if torch.equal(z, x + x) else "different")
