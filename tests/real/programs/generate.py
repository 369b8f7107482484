# SPDX-License-Identifier: Apache-2.0
"""transformers' generate on a tiny Llama with random weights: nothing is downloaded."""
import torch
from tell import SIMULATED, value
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(1)
config = LlamaConfig(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, vocab_size=256,
                     max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=0)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16).eval()
ids = torch.randint(3, 256, (2, 8), generator=torch.Generator().manual_seed(1)).cuda()
if SIMULATED:  # the end is decided by what a kernel computes: there by a count
    rounds = iter(range(24))
    model._has_unfinished_sequences = lambda *_, **__: next(rounds, None) is not None
with torch.no_grad():
    tokens = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=24, min_new_tokens=24, do_sample=False)
print("tokens", value(tokens))
