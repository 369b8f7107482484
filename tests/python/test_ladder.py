#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Levels of detail on every CPython that is found: a loop of equal steps, recorded in windows. Every launch is there; in each window stands what its
level says and nothing else; each step that lies in a window with frames is whole and has the frames over it that it truly had."""
import bisect
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import tap
import trace_reader
from test_frames import Run, interpreters

STEPS = 6000
#        frames of one step, in order of their beginning
WITHIN = ["forward", "leaf", "fails", "leaf", "numbers", "leaf", "numbers", "leaf", "numbers"]


class Windows:
    """Of the whole process, from every thread's records."""

    def __init__(self, trace):
        found = {}
        for events in trace.events.values():
            for e in events:
                if e.what == "WINDOW":
                    number, tick = e.words[0], e.words[1] | e.words[2] << 32
                    assert found.setdefault(number, (tick, e.arg, e.words)) == (tick, e.arg, e.words), "window %d is told in two ways" % number
        self.numbers = sorted(found)
        self.begin = [found[n][0] for n in self.numbers]
        self.levels = [found[n][1] for n in self.numbers]
        self.settle = [found[n][2][4] for n in self.numbers]
        self.period = [found[n][2][5] for n in self.numbers]

    def at(self, tick):
        return bisect.bisect_right(self.begin, tick) - 1


def recorded(interpreter, where, detail="0,1,2", steps=STEPS):
    run = Run(interpreter, "steps", where, steps, env={"OVH_DETAIL": detail, "OVH_BUDGET": "20", "OVH_CHUNK": "16K"}).good()
    (trace,) = run.traces.values()
    assert not trace.losses, trace.losses
    return json.loads(run.out), trace, Windows(trace)


def launches(trace):
    return [e for events in trace.events.values() for e in events
            if e.what == "ENTER" and trace.steps[e.arg].name == "cuLaunchKernel"]


def check_windows(w, levels):
    assert w.numbers == list(range(1, len(w.numbers) + 1)), w.numbers
    assert w.begin == sorted(w.begin)
    assert set(w.levels) == set(levels), w.levels
    assert all((a == min(levels)) != (b == min(levels)) for a, b in zip(w.levels[1:], w.levels[2:])), w.levels


def check_levels(trace, w):
    """No enter that its window's level does not have."""
    for events in trace.events.values():
        for e in events:
            if e.what != "ENTER":
                continue
            step, level = trace.steps[e.arg], w.levels[w.at(e.tick)]
            least = 2 if step.class_ == trace_reader.PYTHON else 0 if step.name == "cuLaunchKernel" else 1
            assert level >= least, "%s in a window of level %d" % (step.name, level)


def whole_steps(trace, w, edge=1):
    """Spans of step() that begin and end within one window of frames."""
    for number in trace.events:
        for span in trace_reader.spans(trace, number):
            if span.step.name == "step" and span.end is not None and not span.begun_earlier and w.at(span.begin) == w.at(span.end):
                yield span


def frames_under(span):
    found = []
    for child in span.children:
        if child.step.class_ == trace_reader.PYTHON:
            found += [child.step.name] + frames_under(child)
    return found


def check_steps(trace, w, over):
    n = 0
    for span in whole_steps(trace, w):
        got = frames_under(span)
        generator = [x for x in got if x != "numbers"]
        assert generator == [x for x in WITHIN if x != "numbers"] and got.count("numbers") in (3, 4), got
        path = [name for name in span.path()[:-1]]
        assert path[-len(over):] == over, path
        n += 1
    return n


def each_interpreter(check):
    found = [i for i in interpreters() if not i.walks]
    if not found:
        tap.skip("no CPython")
    for interpreter in found:
        try:
            check(interpreter)
        except AssertionError as e:
            raise AssertionError("CPython %s: %s" % (interpreter.name, e)) from e


def test_windows_in_the_main_thread():
    def check(interpreter):
        truth, trace, w = recorded(interpreter, "main")
        assert len(launches(trace)) == truth["launches"]
        check_windows(w, {0, 1, 2})
        assert len(w.levels) > 10 and set(w.period[1:]) == {1}, (len(w.levels), w.period)
        check_levels(trace, w)
        assert check_steps(trace, w, ["<module>", "main", "train"]) > STEPS // 20

    each_interpreter(check)


def test_windows_while_the_main_thread_waits():
    """a worker thread does the work; the main thread sits in join and never comes to a switch"""
    def check(interpreter):
        truth, trace, w = recorded(interpreter, "worker")
        assert len(launches(trace)) == truth["launches"]
        check_windows(w, {0, 1, 2})
        assert len(w.levels) > 6, w.levels
        assert check_steps(trace, w, ["main", "train"]) > STEPS // 20

    each_interpreter(check)


def test_windows_of_three_threads():
    def check(interpreter):
        truth, trace, w = recorded(interpreter, "threads")
        assert len(launches(trace)) == truth["launches"]
        check_windows(w, {0, 1, 2})
        n = check_steps(trace, w, ["train"])
        assert n > STEPS // 50, n

    each_interpreter(check)


def test_fixed_levels_and_sets():
    def check(interpreter):
        for detail, levels in (("0", {0}), ("1", {1}), ("2", {2}), ("0,2", {0, 2})):
            truth, trace, w = recorded(interpreter, "main", detail, 2000)
            assert len(launches(trace)) == truth["launches"]
            assert set(w.levels) <= levels | {2} and levels <= set(w.levels), (detail, w.levels)
            check_levels(trace, w)
            frames = any(s.step.name == "step" for n in trace.events for s in trace_reader.spans(trace, n))
            assert frames == (max(levels) >= 2), detail

    each_interpreter(check)


if __name__ == "__main__":
    tap.main()
