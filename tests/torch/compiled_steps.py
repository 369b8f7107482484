# SPDX-License-Identifier: Apache-2.0
"""torch.compile and torch.profiler beside us: what dynamo made of a module (graphs, guards, breaks) and what the profiler counted, as
JSON. Dynamo takes the same place in the interpreter as our frame hook."""
import json
import re

import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list
from torch.profiler import ProfilerActivity, profile


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum().item() is not None:  # breaks the graph; what the number is nobody knows: kernels compute nothing here
            y = y * len([1, 2])
        print(end="")            # and so does this
        return self.second(y) if isinstance(x, torch.Tensor) else y


def inputs(n):
    return torch.ones(n, 8, device="cuda")


module, graphs = Module().to("cuda"), []


def backend(graph, examples):
    graphs.append(graph.code)
    return graph.forward


for i in range(300):
    module(inputs(4))
compiled = torch.compile(module, backend=backend)
for n in [4, 4, 5, 6, 4] * 20:
    compiled(inputs(n))
guards = [re.sub(r"0x[0-9a-f]+|\b\d{9,}\b", "N", str(entry.guard_manager))
          for entry in _debug_get_cache_entry_list(Module.forward.__code__)]
explained = torch._dynamo.explain(Module().to("cuda"))(inputs(4))
with profile(activities=[ProfilerActivity.CPU], with_stack=True) as profiled:
    for i in range(5):
        module(inputs(4))
print(json.dumps({"graphs": graphs, "guards": guards, "explained": [explained.graph_count, explained.graph_break_count],
                  "profiled": sorted((event.key, event.count) for event in profiled.key_averages())}))
