# SPDX-License-Identifier: Apache-2.0
"""A program whose levels of detail take turns, as the recorder writes it: equal steps of a loop, every ns known, probes with a cost."""
import random

from synthetic import CUDART, DRIVER, LAUNCH, NATIVE, PLAIN, QUERY, R_MODULE, SYNC, Trace


class Ladder:
    """Costs in ns: of a hooked call, a Python frame, a C function; half of each lies inside its span. `base(i)`: ns of own work of step i."""

    FRAMES, CALLS, NATIVES, LAUNCHES = 12, 4, 10, 1

    def __init__(self, call=32, frame=60, native=40, base=None, top=3, seed=1, launches=1, sync_every=0, levels=None, modules=False):
        self.trace, self.random = Trace(), random.Random(seed)
        t = self.trace
        self.modules = modules  # Net.forward is one's call, helper that of its child
        if modules:
            t.module(1, "", "__main__.Net", 0), t.module(2, "sub", "__main__.Sub", 1)
        self.cost = dict(call=call, frame=frame, native=native)
        self.module, self.train = t.python("<module>", "/home/u/train.py", 1), t.python("train", "/home/u/train.py", 9)
        self.forward, self.helper = t.python("Net.forward", "/x/net.py", 3), t.python("helper", "/x/net.py", 30)
        self.function = t.step("dict.update", NATIVE, PLAIN, "builtins", 0)
        self.device = t.hooked("cudaGetDevice", CUDART, QUERY)
        self.driver, self.sync = t.hooked("cuLaunchKernelEx", DRIVER, LAUNCH), t.hooked("cudaDeviceSynchronize", CUDART, SYNC)
        self.top, self.base, self.level, self.number, self.steps = top, base or (lambda i: 40_000), top, 0, 0
        self.sync_ns = 500_000
        self.LAUNCHES, self.sync_every, self.levels = launches, sync_every, levels or [1, 2, 3][:top]
        self.main = t.thread("python")
        self.left_open = 0        # frames that a snapshot told: they end without a leave
        self.counts = dict(launches=0, syncs=0)
        self.truth = {}           # level: [ns of own work of each step that lies in its windows]
        t.probe(1, 20), t.probe(2, 40)
        self.window(top, 0)
        self.main.snapshot([self.module, self.train])

    def window(self, level, settle):
        self.number += 1
        self.level = level
        self.main.window(self.number, level, settle * self.LAUNCHES, self.LAUNCHES)

    def probed(self, least, kind, step, body):
        """A span where the level has it, with what its probe costs."""
        part = self.cost[kind] // 4  # of four equal ones: before and behind each reading of the clock
        if self.level < least:
            body()
            return
        self.end_told()
        self.main.now += part
        self.main.enter(step)
        self.main.now += part
        body()
        self.main.now += part
        self.main.leave()
        self.main.now += part

    def end_told(self):
        if self.left_open and self.level >= 2:
            self.main.unwind(self.left_open)
        self.left_open = 0

    def work(self, ns, module=0):
        def body():
            self.module_is(module)
            self.main.now += ns
        return body

    def module_is(self, id_):
        if self.modules and id_ and self.level >= 2:
            self.main.record(R_MODULE, 0, id_)

    def step(self, switch=None):
        """One turn of the loop. switch: (level, settle) of a window that begins inside it, behind the first launch."""
        own = int(self.base(self.steps))
        share = own // 20
        self.truth.setdefault(self.level, []).append(own if switch is None else None)
        recorded = self.level >= 2

        def inside():
            nonlocal recorded
            for i in range(self.FRAMES):
                self.probed(2, "frame", self.helper, self.work(share // self.FRAMES, 2))
            for i in range(self.NATIVES):
                self.probed(3, "native", self.function, self.work(share * 4 // self.NATIVES))
            for i in range(self.CALLS):
                self.probed(1, "call", self.device, self.work(share // self.CALLS))
            for i in range(self.LAUNCHES):
                self.main.call(self.driver, 1000, lambda: self.main.launch(), 1000)
                self.counts["launches"] += 1
                if switch and i == 0:
                    was = self.level
                    self.window(*switch)
                    if switch[0] >= 2:
                        self.main.snapshot([self.module, self.train, self.forward])
                        self.left_open = 1
                        recorded = False
            self.main.now += own - share * 7 - 2000 * self.LAUNCHES
        # Net.forward, by hand: its leave is written where its enter was, whatever the level is by then
        part = self.cost["frame"] // 4
        if recorded:
            self.end_told()
            self.main.now += part
            self.main.enter(self.forward)
            self.module_is(1)
            self.main.now += part
        inside()
        if recorded:
            self.main.now += part if self.level >= 2 else 0
            self.main.leave()
            self.main.now += part if self.level >= 2 else 0
        self.main.now += share
        self.steps += 1
        if self.sync_every and self.steps % self.sync_every == 0:
            self.main.call(self.sync, self.sync_ns)
            self.counts["syncs"] += 1

    def wall_without_probes(self, own):
        """What a step of that much work takes, as step() divides it."""
        share = own // 20
        parts = self.FRAMES * (share // self.FRAMES) + self.NATIVES * (share * 4 // self.NATIVES) + self.CALLS * (share // self.CALLS)
        return parts + own - share * 7 + share

    def rounds(self, n, control=48, window=24, settle=8, first=40):
        """The beginning at the top, then n times: control, each level in random order with control between."""
        for _ in range(first):
            self.step()
        for _ in range(n):
            for level in self.random.sample(self.levels, len(self.levels)):
                self.step(switch=(0, settle))
                for _ in range(control + settle):
                    self.step()
                self.step(switch=(level, settle))
                for _ in range(window + settle):
                    self.step()
        self.step(switch=(0, settle))
        for _ in range(control + settle):
            self.step()
        return self

    def end(self):
        self.trace.end()
        return self.trace
