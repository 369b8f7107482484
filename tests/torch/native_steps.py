# SPDX-License-Identifier: Apache-2.0
"""C functions of PyTorch, called from Python; with `compile` what torch.compile makes of a model that calls many of them. Says
what it called (JSON), or what was compiled."""
import json
import sys

import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)

    def forward(self, x, flags):
        y = self.a(x)
        if isinstance(flags, list) and len(flags) > 1:
            y = y.view(-1, 16).relu()
        table = dict(a=1)
        table.update(b=2)
        y = torch.nn.functional.gelu(y) * table.get("b", 1)
        return self.b(y).sum(), max(1, 2), abs(-3), list(range(3))


def steps(net, x, n):
    for _ in range(n):
        net(x, [1, 2])


def measured(net, x, n):
    """What one turn calls is in `calls` below."""
    for _ in range(n):
        net(x, [1, 2])
        y = Scaled.apply(x)
        torch.ops.aten.add.Tensor(y, y)
        torch.mm(x, x.t())


def eager():
    net, x = Net().cuda(), torch.randn(8, 16, device="cuda", requires_grad=True)
    measured(net, x, 250)            # all is learned, and checked
    with torch.no_grad():
        measured(net, x, 10)
    torch.cuda.synchronize()
    calls = {"torch._C._nn.linear": 2, "torch._C._nn.gelu": 1, "TensorBase.view": 1, "TensorBase.relu": 1, "TensorBase.sum": 1,
             "len": 1, "dict.update": 1, "dict.get": 1, "max": 1, "abs": 1, "list": 1, "dict": 1, "_FunctionBase.apply": 1,
             "aten::add.Tensor": 1, "TensorBase.t": 1}
    return {name: 10 * n for name, n in calls.items()}


def compiled():
    import torch._dynamo as dynamo
    net, x = Net().cuda(), torch.randn(8, 16, device="cuda")
    steps(net, x, 100)
    explained = dynamo.explain(net)(x, [1, 2])
    dynamo.reset()
    twice = torch.compile(net, backend="eager")
    steps(twice, x, 20)
    steps(net, x, 20)
    told = ("frames", "stats", "graph_break", "unimplemented")
    counters = {kind: dict(n) for kind, n in dynamo.utils.counters.items() if kind in told}
    return {"graphs": explained.graph_count, "breaks": explained.graph_break_count, "ops": explained.op_count,
            "code": [str(graph.code) for graph in explained.graphs], "counters": counters}


print(json.dumps(compiled() if sys.argv[1:] == ["compile"] else eager(), sort_keys=True))
