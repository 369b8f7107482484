#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of the network: time by nn.Module, and backward passes joined to autograd's thread."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import TORCH, Program, report, run
from tap import main
from synthetic import R_MODULE

LINEAR = "torch.nn.modules.linear.Linear"
UNITS = 12


class Network(Program):
    def __init__(self):
        super().__init__()
        t = self.trace
        for id_, name, kind, parent in ((1, "", LINEAR, 0), (2, "", "__main__.Net", 0), (3, "layers", "torch.nn.modules.container.ModuleList", 2),
                                        (1, "0", LINEAR, 3), (4, "1", LINEAR, 3), (5, "#", LINEAR, 0), (6, "block", "__main__.Net", 2)):
            t.module(id_, name, kind, parent)  # 1 was a root before its parent was known
        self.run_backward = t.python("_engine_run_backward", TORCH + "autograd/graph.py", 800)
        self.apply = t.python("Function.apply", TORCH + "autograd/function.py", 560)
        self.apply_backward = t.python("BackwardCFunction.apply", TORCH + "autograd/function.py", 300)
        self.ops = {name: [t.python("%s.%s" % (name, way), "/x/te/linear.py", 10 + i) for i, way in enumerate(("forward", "backward"))] for name in ("_A", "_B")}

    def of(self, id_, *body):
        """A call of that module: 10 ns before the body, 20 after it."""
        return lambda: self.call(self.wrapped, lambda: self.main.record(R_MODULE, 0, id_), 10, *body, 20)

    def launch(self):
        self.call(self.driver, 50, lambda: self.main.launch(self.kernel), 50)

    def function(self, name):
        """Function.apply: 7 ns, and 30 in the forward, with a launch."""
        return lambda: self.call(self.apply, 7, lambda: self.call(self.ops[name][0], 30, self.launch))

    def backward(self, engine, calls, wait=100):
        """The main thread waits `wait` ns, autograd's thread runs `calls` (function, ns), the main thread waits 40 more."""
        def it():
            self.main.now += wait
            engine.now = max(engine.now, self.main.now)
            for name, ns in calls:
                engine.call(self.apply_backward, 5, lambda: engine.call(self.ops[name][1], ns), 5)
            self.main.now = max(self.main.now, engine.now) + 40
        return lambda: self.call(self.run_backward, it)


def modules(r):
    m, wall = r["unit"]["modules"], r["unit"]["wall_ns"]
    assert sum(x["self_ns"] for x in m["rows"]) + m["outside_ns"] + m["backward"]["self_ns"] == wall
    assert sum(x["self_ns"] for x in m["types"]) == sum(x["self_ns"] for x in m["rows"])
    n = r["unit"]["statistics"]["counted"]
    return m, n, {x["path"] + ("?" if x["unnamed"] else ""): x for x in m["rows"]}


def figures(row, n):
    return row["calls"] / n, row["ns"] / n, row["self_ns"] / n


def test_self_and_total_by_path():
    p = Network()
    step = p.trace.python("step", "/home/u/bench.py", 5)
    for _ in range(UNITS):
        p.call(step, 100, p.of(2, p.of(1, p.launch), p.of(4, 500), p.of(1, 200), p.of(5, 60), p.of(6, 5, p.of(6, 7))), 11)
    r = report(p.end(), "--unit", "step", "--warmup", "2")
    m, n, rows = modules(r)
    assert n == UNITS - 2 and list(rows) == ["Net", "Net.layers.0", "Net.layers.1", "Net.block", "Linear?"], list(rows)
    assert figures(rows["Net.layers.0"], n) == (2, 30 + 100 + 30 + 200, 360)
    assert figures(rows["Net.layers.1"], n) == (1, 530, 530)
    assert figures(rows["Linear?"], n) == (1, 90, 90)
    assert figures(rows["Net.block"], n) == (2, 30 + 5 + 30 + 7, 72)  # in itself: once in the total
    assert figures(rows["Net"], n) == (1, 30 + 360 + 530 + 90 + 72, 30)
    assert m["outside_ns"] / n == 111 and m["backward"]["calls"] == 0
    types = {x["type"]: x for x in m["types"]}
    assert figures(types[LINEAR], n) == (4, 360 + 530 + 90, 980) and figures(types["__main__.Net"], n) == (3, 1082, 102), types
    assert rows["Net.layers.0"]["name"] == "layers.0" and rows["Net"]["name"] == ""


def test_a_call_of_a_module_is_the_unit():
    p = Network()
    for _ in range(UNITS):
        p.of(2, p.of(1, p.launch))()
        p.main.now += 5
    m, n, rows = modules(report(p.end(), "--unit", "Module._wrapped_call_impl"))
    assert n and figures(rows["Net"], n)[0] == 1 and figures(rows["Net.layers.0"], n) == (1, 130, 130), rows


def training(calls, forwards=("_A", "_B", "_A")):
    """Steps of a forward with one function in each of layers.0, layers.1 and the root, then a backward pass."""
    p = Network()
    step, engine = p.trace.python("step", "/home/u/bench.py", 5), p.trace.thread("pt_autograd_0")
    for _ in range(UNITS):
        p.call(step, p.of(2, p.of(1, p.function(forwards[0])), p.of(4, p.function(forwards[1])), p.function(forwards[2])), 9, p.backward(engine, calls), 6)
    return report(p.end(), "--unit", "step", "--warmup", "2")


def test_backward_is_joined_and_divided():
    m, n, rows = modules(training([("_A", 300), ("_B", 200), ("_A", 100)]))
    b = m["backward"]
    assert b["calls"] == n and b["ns"] / n == 770 and b["self_ns"] == b["ns"]
    assert b["engine_ns"] / n == 630 and b["hand_over_ns"] / n == 140 and b["divided_ns"] / n == 600 and b["calls_not_divided"] == 0
    back = {path: (x["backward_calls"] / n, x["backward_ns"] / n) for path, x in rows.items()}
    assert back == {"Net": (1, 300), "Net.layers.0": (1, 100), "Net.layers.1": (1, 200)}, back
    assert m["outside_ns"] / n == 15


def test_what_does_not_mirror_is_not_divided():
    for calls in ([("_A", 300), ("_A", 100), ("_B", 200)], [("_A", 300), ("_B", 200)], [("_A", 1)] * 2 + [("_B", 2), ("_A", 1)]):
        m, n, rows = modules(training(calls))
        assert m["backward"]["calls_not_divided"] == n and m["backward"]["divided_ns"] == 0, calls
        assert m["backward"]["engine_ns"] / n == sum(ns + 10 for _, ns in calls)


def test_functions_that_have_no_backward_do_not_disturb():
    m, n, rows = modules(training([("_B", 200)]))
    assert m["backward"]["calls_not_divided"] == 0 and rows["Net.layers.1"]["backward_ns"] / n == 200 and rows["Net"]["backward_ns"] == 0


def test_the_thread_that_calls_does_the_work_itself():
    m, n, rows = modules(training([]))
    assert m["backward"]["engine_ns"] == m["backward"]["ns"] and m["backward"]["hand_over_ns"] == 0 and m["backward"]["calls"] == n


def test_definitions_that_lead_nowhere():
    p = Network()
    for id_, parent in ((20, 21), (21, 20), (30, 30), (40, 999_999), (50, 7)):
        p.trace.module(id_, "x", LINEAR, parent)
    step = p.trace.python("step", "/home/u/bench.py", 5)
    for _ in range(UNITS):
        p.call(step, *[p.of(id_, 100) for id_ in (20, 21, 30, 40, 50, 77, 4_000_000_000)], p.of(4, 5), p.launch)
    m, n, rows = modules(report(p.end(), "--unit", "step"))
    assert list(rows) == ["Net.layers.1"] and m["outside_ns"] / n == 7 * 130 + 100, rows


def test_text():
    p = Network()
    step = p.trace.python("step", "/home/u/bench.py", 5)
    for _ in range(UNITS):
        p.call(step, 3970, p.of(2, p.of(1, p.launch), p.of(5, 1000)))
    trace = p.end()
    code, out, err = run(trace, "--by", "module", "--unit", "step")
    assert code == 0 and not err
    rows = [line.split() for line in out.splitlines()]
    assert ["Net", "Net", "1", "1.19", "1.19", "0.03", "0.6", "%"] in rows, out
    assert ["Net.layers.0", "Linear", "1", "0.13", "0.13", "0.13", "2.5", "%"] in rows, out
    assert ["(outside", "modules)", "3.97", "76.9", "%"] in rows and ["sum", "5.16", "100.0", "%"] in rows and ["wall", "5.16", "100.0", "%"] in rows, out
    assert "(Linear, nobody's child)" in out
    code, out, err = run(trace, "--by", "module-type", "--unit", "step")
    assert [LINEAR, "2", "0.58", "1.16", "1.16", "22.5", "%"] in [line.split() for line in out.splitlines()], out
    assert "3 modules of the network were called" in run(trace, "--unit", "step")[1]


def test_no_modules_and_bad_words():
    p = Program()
    for _ in range(UNITS):
        p.linear()
        p.main.now += 5
    trace = p.end()
    assert report(trace)["unit"]["modules"] is None
    assert "no call of an nn.Module was recorded" in run(trace, "--by", "module")[1]
    code, out, err = run(trace, "--by", "layer")
    assert code == 2 and not out and "module or module-type" in err


if __name__ == "__main__":
    main()
