# SPDX-License-Identifier: Apache-2.0
"""Transformer Engine's LayerNormMLP with FP8, forward and backward."""
import torch
import transformer_engine.pytorch as te
from tell import value
from transformer_engine.common.recipe import DelayedScaling

torch.manual_seed(1)
mlp = te.LayerNormMLP(128, 256, params_dtype=torch.bfloat16, device="cuda")
x = torch.randn(64, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
autocast = getattr(te, "autocast", None)
for _ in range(30):
    mlp.zero_grad(set_to_none=True)
    with (autocast(enabled=True, recipe=DelayedScaling()) if autocast else te.fp8_autocast(enabled=True, fp8_recipe=DelayedScaling())):
        y = mlp(x)
    y.float().sum().backward()
print("te", value(y), value(mlp.fc1_weight.grad))
