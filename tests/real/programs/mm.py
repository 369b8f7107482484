# SPDX-License-Identifier: Apache-2.0
"""torch.mm, one GEMM after the other."""
import torch
from tell import value

torch.manual_seed(1)
a, b = torch.randn(128, 256, device="cuda"), torch.randn(256, 64, device="cuda")
for _ in range(200):
    c = torch.mm(a, b)
print("mm", value(c))
