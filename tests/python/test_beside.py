#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Beside other tools that look at Python: they see what they see without us, to the last event, at full detail and with
levels that switch, started before our first hooked call or after it."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import tap
import cpython_suite
from test_frames import LIBRARY, Run, TRIGGERS, interpreters

DETAILS = {"before": ("3",), "after": ("auto",)}  # 3: frames and C functions; auto: switched all the time


def lines_that_differ(bare, ours):
    bare, ours = ([json.dumps(x) for x in side["seen"]] for side in (bare, ours))
    return "only without us: %s; only with: %s" % ([x for x in bare if x not in ours][:6], [x for x in ours if x not in bare][:6])


def beside(tool, since=(3, 9)):
    def test():
        wrong, compared = [], 0
        for interpreter in {i.version[:2]: i for i in interpreters() if i.version >= since}.values():
            for when in ("before", "after"):
                bare = Run(interpreter, "tools", tool, when, preload=False).good().truths()[-1]
                assert bare["seen"], "%s saw nothing" % tool
                for detail in DETAILS[when]:
                    run = Run(interpreter, "tools", tool, when, env={"OVH_DETAIL": detail, "OVH_CHUNK": "64K"})
                    compared += 1
                    if (run.status, run.err) != (0, ""):
                        wrong.append("%s %s detail %s: status %s %s" % (interpreter.name, when, detail, run.status, run.err[-800:]))
                        continue
                    ours = run.truths()[-1]
                    if ours != bare:
                        wrong.append("%s %s detail %s: %s" % (interpreter.name, when, detail, lines_that_differ(bare, ours)))
                    (trace,) = run.traces.values()
                    calls = sum(e.what == "ENTER" and trace.steps[e.arg].name in TRIGGERS for ev in trace.events.values() for e in ev)
                    if when == "before" and calls < 100:
                        wrong.append("%s %s: only %d hooked calls were recorded" % (interpreter.name, when, calls))
        assert not wrong, "\n".join(wrong)
        if not compared:
            tap.skip("no CPython %d.%d" % since[:2])
    test.__doc__ = tool
    return test


TOOLS = {"setprofile": (3, 9), "settrace": (3, 9), "cprofile": (3, 9), "tracemalloc": (3, 9), "faulthandler": (3, 9),
         "monitoring": (3, 12), "debugger": (3, 12)}
only = os.environ.get("ONLY", "")
for tool, since in TOOLS.items():
    if only in tool:
        globals()["test_" + tool] = beside(tool, since)

def test_cpythons_own_tests():
    """a short part of CPython's own tests; make test-cpython runs all that matter"""
    found = [i for i in interpreters() if not subprocess.run([i.path, "-c", "import test.test_gc"], stderr=subprocess.DEVNULL).returncode]
    if not found:
        tap.skip("no CPython with its test suite")
    for test in ("test_frame", "test_generators", "test_sys_setprofile"):
        line, wrong = cpython_suite.compare(found[-1], test, LIBRARY, "2" if test == "test_sys_setprofile" else "3")
        assert line and not wrong, wrong or test


if __name__ == "__main__":
    tap.main()
