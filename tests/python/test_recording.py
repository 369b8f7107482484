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


for i in interpreters():
    globals()["test_%s_is_left_as_it_was_when_recording_stops" % i.name.replace(".", "_")] = make(i)

if __name__ == "__main__":
    tap.main()
