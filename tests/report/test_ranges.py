#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges that the program sets: rows of the report, and the unit of work."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, report, run, step, timed
from tap import main
from synthetic import MARK, POP, PUSH, RANGE_END, R_WINDOW, START, Trace


def rows(r):
    return {(x["domain"], x["name"]): {k: v for k, v in x.items() if k not in ("domain", "name")} for x in r["ranges"]}


def row(calls, ns, median, least, most, marks=0, half=0):
    return {"calls": calls, "ns": ns, "median_ns": median, "min_ns": least, "max_ns": most, "marks": marks, "half": half}


def test_pushed_ranges_nest_per_domain():
    p = Program()
    m, t = p.main, p.trace
    a, b, c = t.range("a"), t.range("b"), t.range("b", "other")
    any_other = t.range("", "other")
    for ns in (10, 30, 20, 40):
        m.range(PUSH, a)
        m.range(PUSH, c)
        m.range(PUSH, b)
        m.now += ns
        p.call(p.device, 5)
        m.range(POP)             # b
        m.now += 100
        m.range(POP)             # a, across c
        m.range(POP, any_other)  # c
    m.range(MARK, b)
    m.range(POP)                 # closes nothing
    r = report(p.end())
    assert rows(r) == {("", "a"): row(4, 520, 130, 115, 145), ("", "b"): row(4, 120, 30, 15, 45, marks=1), ("other", "b"): row(4, 520, 130, 115, 145)}


def test_started_ranges_end_in_any_thread():
    p = Program()
    t, other = p.trace, p.trace.thread("worker")
    a, b = t.range("a"), t.range("b")
    p.main.range(START, a, 1)
    p.main.now += 100
    other.now += 40
    other.range(START, b, 7)
    other.now += 110
    other.range(RANGE_END, a, 1)   # 150
    p.main.now += 400
    p.main.range(RANGE_END, b, 7)  # 500 - 40; the end is read before its start
    p.main.range(START, a, 2)      # never ends
    other.range(RANGE_END, b, 99)  # never began
    assert rows(report(p.end())) == {("", "a"): row(1, 150, 150, 150, 150, half=1), ("", "b"): row(1, 460, 460, 460, 460, half=1)}


def test_what_is_open_when_recording_stops_has_no_duration():
    t = Trace()
    a, main_ = t.range("a"), t.thread()
    main_.range(PUSH, a)
    main_.now += 10
    main_.record(R_WINDOW, 0xffff, 1, main_.now, 0, 2)
    main_.range(POP)
    main_.range(PUSH, a)
    t.end()
    assert rows(report(t)) == {("", "a"): row(0, 0, 0, 0, 0, half=2)}


def in_ranges(n=100):
    """n ranges of two launches each, in functions that begin outside and end outside; 70 ns between."""
    p = Program()
    outer = p.trace.python("outer", "/home/u/x.py", 3)
    unit, inner = p.trace.range("step"), p.trace.range("inner")

    def one(i):
        p.call(outer, 500, lambda: p.main.range(PUSH, unit), 200, p.launch_driver, lambda: p.main.range(PUSH, inner), 30, p.launch_driver,
               lambda: p.main.range(POP), 11, lambda: p.main.range(POP), 900)
        p.main.now += 70
    for i in range(n):
        one(i)
    return p


def test_a_range_is_the_unit_of_work():
    p = in_ranges()
    launch = p.main.now
    p.launch_driver()
    launch = p.main.now - launch
    r = report(p.end(), "--unit", "nvtx:step", "--warmup", "0", "--units")
    u = r["unit"]
    assert (u["kind"], u["name"], u["thread"]) == ("range", "step", 1)
    assert u["unit_ns"] == [241 + 2 * launch] * 100 and u["counts"]["launches"] == 200
    assert step(r, "outer")["ns"] == 100 * 241 and u["classes"]["python"]["calls"] == 0
    assert u["classes"]["driver"] == timed(200 * launch, 200)
    assert rows(r)["", "inner"] == row(100, 100 * (30 + launch), 30 + launch, 30 + launch, 30 + launch)


def test_the_unit_may_be_kept_in_the_trace_and_have_a_star():
    p = in_ranges()
    p.trace.setting("OVH_UNIT", "nvtx:st*")
    u = report(p.end(), "--warmup", "0")["unit"]
    assert (u["kind"], u["name"], u["statistics"]["n"]) == ("range", "st*", 100)


def test_of_ranges_within_ranges_the_outermost_counts():
    p = Program()
    unit = p.trace.range("layer")
    for _ in range(50):
        p.main.range(PUSH, unit)
        p.main.now += 10
        p.main.range(PUSH, unit)
        p.launch_driver()
        p.main.range(POP)
        p.main.now += 10
        p.main.range(POP)
    r = report(p.end(), "--unit", "nvtx:layer", "--warmup", "0")
    assert r["unit"]["statistics"]["n"] == 50 and rows(r)["", "layer"]["calls"] == 100


def test_the_thread_that_sets_most_of_them():
    p = Program()
    other, unit = p.trace.thread("worker"), p.trace.range("work")
    for thread, n in ((p.main, 3), (other, 40)):
        for _ in range(n):
            thread.range(PUSH, unit)
            thread.call(p.driver, 100)
            thread.range(POP)
    u = report(p.end(), "--unit", "nvtx:work", "--warmup", "0")["unit"]
    assert (u["thread"], u["statistics"]["n"], u["wall_ns"]) == (2, 40, 4000)


def test_a_range_that_nobody_set():
    code, out, _ = run(in_ranges().end(), "--unit", "nvtx:ste")
    assert code == 4 and "No unit of work: no recorded range is named ste (" in out


def test_the_forms():
    trace = in_ranges().end()
    code, out, _ = run(trace, "--unit", "nvtx:step")
    assert code == 0 and "step  (NVTX range)     100 ranges, " in out and "us/range" in out and "ranges (NVTX, whole run)" in out
    code, out, _ = run(trace, "--unit", "nvtx:step", "--tree")
    assert code == 0 and "outer" in out and "cuLaunchKernelEx" in out
    code, out, _ = run(trace, "--unit", "nvtx:step", "--timeline")
    lines = out.splitlines()
    assert code == 0 and [x.split()[-1] for x in lines[-2:]] == ["cuLaunchKernelEx"] * 2 and lines[-2].split()[0] == "0.20", lines
    code, out, _ = run(trace, "--dump", "--no-definitions")
    assert code == 0 and 'RANGE what=1 range=1:"step"' in out
    code, out, _ = run(trace, "--verify")
    assert code == 0 and "400 ends of ranges and marks that the program set" in out
    assert report(Program().end())["ranges"] == [] and "NVTX" not in run(Program().end())[1]


def test_broken_definitions_and_records():
    p = Program()
    p.main.range(PUSH, 77)  # no such definition
    p.main.range(POP, 78)
    p.main.range(RANGE_END, 0, 0)
    p.main.range(9, 77)
    assert report(p.end())["ranges"] == []
    empty = Trace()
    empty.range("never set")
    empty.end()
    assert report(empty, "--unit", "nvtx:never set")["unit"] is None


if __name__ == "__main__":
    main()
