# SPDX-License-Identifier: Apache-2.0
"""A small training step: forward, backward on autograd's thread, optimizer, a read back to the host. Prints a finite loss."""
import torch

torch.manual_seed(0)
m = torch.nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True, device="cuda", dtype=torch.bfloat16)
o = torch.optim.AdamW(m.parameters(), lr=1e-4)
x = torch.randn(4, 64, 256, device="cuda", dtype=torch.bfloat16)
for _ in range(30):
    o.zero_grad(set_to_none=True)
    loss = m(x).float().pow(2).mean()
    loss.backward()
    o.step()
print("finite" if torch.isfinite(loss).item() else "not finite")
