# SPDX-License-Identifier: Apache-2.0
"""Modules of networks: nested, shared, made anew at the addresses of dead ones, replaced, copied, in threads. Each call of one says, in order,
which it is by named_modules(): "Net:layers.0". "Leaf?" is nobody's child."""
import copy
import os
import sys
import threading
import weakref
from truth import extra, ids, seen, tell, trigger

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers"))
from torch.nn.modules.module import Module  # noqa: E402

said = {}      # thread -> [who was called]
who = {}       # id -> who that is, of the modules that live
reads = []     # attributes that our call of Hostile's methods read


class Told(Module):
    def forward(self, *args):
        said.setdefault(str(ids()), []).append(who.get(id(self), type(self).__name__ + "?"))
        return self.work(*args)

    def work(self):
        for module in self._modules.values():
            if module is not None:
                module()


class Leaf(Told):
    def work(self):
        trigger()


class Named(Told):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def work(self):
        trigger()


class Sequence(Told):
    def __init__(self, *modules):
        super().__init__()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)


class Hostile(Leaf):
    """Every read of an attribute by Python code is told."""

    def __getattribute__(self, name):
        if name == "_modules":
            reads.append(name)
        return object.__getattribute__(self, name)


class Slippery(Told):
    """What the class says of _modules is not asked."""

    @property
    def _modules(self):
        reads.append("property")
        return {}

    def __init__(self):
        pass

    def work(self):
        trigger()


class Net(Told):
    def __init__(self, layers=3):
        super().__init__()
        self.layers = Sequence(*(Sequence(Named(i), Leaf()) for i in range(layers)))
        self.fc = Named(7)
        self.again = self.layers._modules["0"]._modules["0"]  # shared: its first name counts
        self.nothing = None
        self._modules["empty"] = None
        self.hostile = Hostile()
        self.listed = [Leaf()]

    def work(self):
        for layer in self.layers._modules.values():
            layer()
        self.fc()
        self.again()
        self.hostile()
        self.listed[0]()
        Leaf()()


def enrol(root):
    for name, module in root.named_modules():
        who[id(module)] = "%s:%s" % (type(root).__name__, name)
    reads.clear()
    return root


def drop(root):
    for _, module in root.named_modules():
        del who[id(module)]


def lives(n):
    for i in range(n):
        net = enrol(Net(2 + i % 3))
        net()
        drop(net)
        del net


def singles(n):
    for _ in range(n):
        leaf = Named(1)
        who[id(leaf)] = "Named:"
        leaf()
        del who[id(leaf)], leaf


def replaced(net):
    for i in range(20):
        del who[id(net.fc)]
        del net._modules["fc"]
        net.fc = Named(i)
        who[id(net.fc)] = "Net:fc"
        net()


def main():
    trigger()
    net = enrol(Net())
    net.layers._modules["1"]()  # before the root: its place is found later
    counts = [sys.getrefcount(m) for _, m in net.named_modules()]
    reads.clear()
    for _ in range(5):
        net()
    extra["reads"] = list(reads)
    extra["kept"] = [sys.getrefcount(m) for _, m in net.named_modules()] != counts
    extra["weak"] = sum(weakref.getweakrefcount(m) for _, m in net.named_modules())
    lives(30)
    singles(200)
    replaced(net)
    drop(enrol(copy.deepcopy(net)))
    other = enrol(copy.deepcopy(net))
    other()
    slippery = Slippery()
    who[id(slippery)] = "Slippery:"
    slippery()
    extra["property"] = reads.count("property")
    threads = [threading.Thread(target=lambda: [net() for _ in range(50)]) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


main()
extra["said"] = said
tell()
