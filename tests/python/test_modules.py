#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules of a network, on one CPython of each version: programs/modules.py says of each call which module it is of, by named_modules();
the trace must say the same, in the same order."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import tap
from test_frames import Run, interpreters


def place(trace, id_):
    """"Net:layers.0"; "Leaf?" of what is nobody's child."""
    names = []
    while trace.modules[id_][0]:
        names.append(trace.modules[id_][1])
        id_ = trace.modules[id_][0]
    _, name, type_ = trace.modules[id_]
    return type_.split(".")[-1] + ("?" if name == "#" else ":" + ".".join(reversed(names)))


def of_thread(trace):
    return {str(trace.thread_names[number][0]): [place(trace, e.words[0]) for e in events if e.what == "MODULE"] for number, events in trace.events.items()}


def check(interpreter, env):
    run = Run(interpreter, "modules", env=env).good()
    truth = run.truths()[-1]
    trace, extra = run.traces[truth["pid"]], truth["extra"]
    assert extra["reads"] == [] and not extra["kept"] and extra["weak"] == 0 and extra["property"] == 0, {k: extra[k] for k in ("reads", "kept", "weak", "property")}
    if trace.values["python.frames"].startswith("walk"):
        assert not trace.modules
        return
    got = {tid: who for tid, who in of_thread(trace).items() if who}
    assert set(got) == set(extra["said"])
    for tid, said in extra["said"].items():
        wrong = [(i, a, b) for i, (a, b) in enumerate(zip(said, got[tid])) if a != b]
        assert not wrong and len(said) == len(got[tid]), (len(said), len(got[tid]), len(wrong), wrong[:5])
    assert len(extra["said"]) == 4 and len(extra["said"][str(truth["pid"])]) > 700
    singles = [m for m in trace.modules.values() if m[0] == 0 and m[2] == "__main__.Named"]
    assert 1 <= len(singles) < 10, len(singles)  # 200 were made, one after the other


def on_each(env):
    found = list({i.version[:2]: i for i in interpreters()}.values())
    if not found:
        tap.skip("no CPython")
    wrong = []
    for interpreter in found:
        try:
            check(interpreter, env)
        except Exception as e:  # all of them are looked at
            wrong.append("CPython %s: %s: %s" % (interpreter.name, type(e).__name__, e))
    assert not wrong, "\n".join(wrong)


def test_modules():
    """which module each call is of"""
    on_each({"OVH_PYTHON_EVALUATOR": "always"})


def test_with_native_functions():
    """the same with C functions recorded"""
    on_each({"OVH_DETAIL": "3"})


if __name__ == "__main__":
    tap.main()
