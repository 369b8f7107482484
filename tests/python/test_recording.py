#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording that begins later than the program and ends before it, on every CPython that is found: the interpreter is left as it was."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import tap
import trace_reader
from test_frames import Run, interpreters

STOPS = 0xffff


def calls_of(trace, name):
    return sum(e.what == "ENTER" and trace.steps[e.arg].name == name for events in trace.events.values() for e in events)


def make(interpreter):
    def test():
        run = Run(interpreter, "stops", 0.9, env={"OVH_DELAY": "0.1", "OVH_DURATION": "0.3"}).good()
        (truth,) = run.truths()
        trace = run.traces[truth["pid"]]
        hooked, turns = truth["hooked"], sum(truth["turns"].values())
        assert trace.end == 2 and not trace.losses, (trace.end, trace.losses)
        assert not any(hooked[-10:]), hooked
        assert interpreter.walks or any(hooked), "never hooked"
        n = calls_of(trace, "cudaGetDevice")
        assert 50 < n < turns * 0.7, (n, turns)
        assert len(trace.events) == 2
        for events in trace.events.values():
            last = events[-1]
            assert last.what == "WINDOW" and last.arg == STOPS, last
            assert max(e.tick for e in events) <= last.words[1] | last.words[2] << 32
        if not interpreter.walks:
            assert abs(calls_of(trace, "leaf") - n) <= 6, (calls_of(trace, "leaf"), n)
            spans = [s for number in trace.events for s in trace_reader.spans(trace, number)]
            assert {"turn", "work"} <= {s.step.name for s in spans if s.begun_earlier or s.end is not None}
    return test


def units(interpreter, way, first, last, n=12, unit="step", **settings):
    """(status, stderr, trace, truth)"""
    run = Run(interpreter, "units", n, way, env={"OVH_UNIT": unit, "OVH_STEPS": "%s:%s" % (first, last), **settings})
    (truth,) = run.truths()
    return run.status, run.err, run.traces.get(truth["pid"]), truth


def spans_of(trace, name):
    return [s for number in trace.events for s in trace_reader.spans(trace, number) if s.step.name.split(".")[-1] == name]


def check_units(interpreter, way, first, last, there, n=12, stops=True, **settings):
    status, err, trace, truth = units(interpreter, way, first, last, n, **settings)
    assert (status, err) == (0, ""), err
    got = spans_of(trace, "step")
    assert all(s.end is not None and not s.begun_earlier for s in got)
    assert [len([c for c in s.children if c.step.name.endswith("leaf")]) for s in got] == there, got
    assert len(spans_of(trace, "other")) == len(there) - 1 + (0 if stops else 4) and trace.end == (2 if stops else 1)
    assert truth["hooked"] == (not stops) or way == "thread", truth
    assert not trace.losses and next(e for e in trace.events[1] if e.what == "WINDOW").words[3] == 2


def make_units(interpreter):
    def test():
        if interpreter.walks:
            for detail in ("2", "auto"):
                status, err, trace, _ = units(interpreter, "before", 3, 5, OVH_DETAIL=detail)
                assert status == 0 and trace is None and err.count("\n") == 1 and "units of work cannot be counted: 3.12.0 and" in err, err
            return
        check_units(interpreter, "before", 3, 5, [3, 4, 5])
        check_units(interpreter, "raise", 6, 6, [6])
        check_units(interpreter, "thread", 2, 3, [2, 3])
        check_units(interpreter, "before", 11, "", [11, 12], stops=False)
        check_units(interpreter, "before", 4, 5, [4, 5], OVH_DETAIL="auto")
        if interpreter.version >= (3, 11):
            check_units(interpreter, "before", 1, 2, [1, 2], unit="Work.step")
        status, err, trace, truth = units(interpreter, "inside", 1, 2)  # the first is open when recording begins
        assert [s.begun_earlier for s in spans_of(trace, "step")] == [True, False] and trace.end == 2 and not truth["hooked"]
        status, err, trace, _ = units(interpreter, "before", 100, 200)
        assert trace is None and err == "ovh: OVH_STEPS: nothing was recorded: of step only 12 came, and recording was to begin with number 100\n", err
        status, err, trace, _ = units(interpreter, "before", 3, 5, OVH_DETAIL="1")
        assert trace is None and "units of work cannot be counted: OVH_DETAIL asks for less" in err, err
    return test


for i in interpreters():
    globals()["test_%s_records_only_the_units_asked_for" % i.name.replace(".", "_")] = make_units(i)
    globals()["test_%s_is_left_as_it_was_when_recording_stops" % i.name.replace(".", "_")] = make(i)

if __name__ == "__main__":
    tap.main()
