# SPDX-License-Identifier: Apache-2.0
"""Training steps of a network with everything that has modules in it, on the simulated device. Writes into the file "says" how often each
module was called, by named_modules(), counted by the program's own hook, and how often an autograd function of its own ran backward."""
import json
import torch
from torch import nn

STEPS = 12
calls, backwards, names = {}, {}, {}  # names: by id, of the modules of the network that lives


def add(counts, name):
    counts[name] = counts.get(name, 0) + 1


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Doubles(nn.Module):
    def forward(self, x):
        x = Double.apply(x)
        if id(self) in names:
            x.register_hook(lambda grad: add(backwards, names[id(self)]))
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(16, 16), Doubles(), nn.ReLU()) for _ in range(3))
        self.shared = nn.Linear(16, 16)
        self.again = self.shared
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.doubles = Doubles()

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            for _ in range(i + 1):
                x = layer(x)
        x = nn.Sigmoid()(self.again(self.shared(x)))
        return self.doubles(self.encoder(x.unsqueeze(0)).squeeze(0))


def count(module, args):
    add(calls, names.get(id(module), "(%s)" % type(module).__name__))


def step(net, x):
    net(x).sum().backward()


def main():
    x = torch.ones(4, 16, device="cuda")
    for _ in range(20):  # networks that are gone when the steps begin: their addresses come back
        Net().to("cuda")(x)
    net = Net().to("cuda")
    names.update((id(module), name) for name, module in net.named_modules())
    hook = nn.modules.module.register_module_forward_pre_hook(count)
    for _ in range(STEPS):
        step(net, x)
    hook.remove()
    torch.cuda.synchronize()
    with open("says", "w") as f:
        json.dump({"calls": calls, "backwards": backwards, "steps": STEPS}, f)
    for _ in range(300):
        nn.Linear(16, 16, device="cuda")(x)


main()
