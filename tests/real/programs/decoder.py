# SPDX-License-Identifier: Apache-2.0
"""A tiny decoder with a cache of keys and values, one token at a time, each read back by the host."""
import torch
from tell import SIMULATED, value

torch.manual_seed(1)
H, V = 64, 256
embed = torch.randn(V, H, device="cuda") / 8
qkv, out, head = (torch.nn.Linear(H, n, bias=False, device="cuda") for n in (3 * H, H, V))
keys, values = (torch.zeros(1, 4, 64, H // 4, device="cuda") for _ in range(2))
token, said = 3, []
with torch.no_grad():
    for at in range(48):
        x = embed[token:token + 1]
        q, k, v = (part.view(1, 4, 1, H // 4) for part in qkv(x).split(H, -1))
        keys[:, :, at:at + 1], values[:, :, at:at + 1] = k, v
        y = torch.nn.functional.scaled_dot_product_attention(q, keys[:, :, :at + 1], values[:, :, :at + 1])
        logits = head(torch.nn.functional.silu(out(y.reshape(1, H))) + x)
        token = int(logits.argmax(-1).item())
        token = at if SIMULATED else token  # what a kernel did not compute must not decide what comes next
        said.append(token)
print("tokens", said)
print("logits", value(logits))
