#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that were counted and not timed: their number is exact, their time is estimated from the timed ones, the sums stay exact."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, report, run, step
from tap import main
from synthetic import CUBLAS, CUDART, QUERY, R_AT, SET, Trace


class Linear(Program):
    """A Linear.forward of 1000 ns of Python and a launch of 4400, which asks for the device `asks` times, 70 ns each, of which one in
    16 is timed (in turn: the truth is then known), and sets the math mode twice, 30 ns each."""

    def __init__(self, asks=8, one_in=16):
        super().__init__()
        self.asks, self.one_in, self.turn = asks, one_in, 0
        self.mode = self.trace.hooked("cublasSetMathMode", CUBLAS, SET)
        self.trace.setting("OVH_TIME_QUERIES", str(one_in))

    def short(self, id_, ns):
        self.turn += 1
        if self.turn % self.one_in == 0:
            self.call(id_, ns)
        else:
            self.main.counted(id_)
            self.main.now += ns

    def step(self):
        body = [lambda: self.short(self.device, 70)] * self.asks + [lambda: self.short(self.mode, 30)] * 2
        self.call(self.forward("Linear.forward"), 600, *body, self.launch_driver, 400)

    def play(self, n, body=None):
        for _ in range(n):
            (body or self.step)()
            self.main.now += 60
        return self.end()


def test_counts_and_times_are_the_truth_when_all_calls_take_equally_long():
    r = report(Linear().play(800), "--warmup", "0")
    u = r["unit"]
    asked, mode, forward = step(r, "cudaGetDevice"), step(r, "cublasSetMathMode"), step(r, "Linear.forward")
    assert u["statistics"]["n"] == 800 and (asked["calls"], mode["calls"]) == (6400, 1600)
    timed = asked["calls_timed"] + mode["calls_timed"]
    assert timed == 500 and asked["calls_timed"] > 0 and mode["calls_timed"] > 0
    assert (asked["ns"], mode["ns"], forward["ns"]) == (6400 * 70, 1600 * 30, 800 * 1000)
    assert asked["estimated_ns"] == (6400 - asked["calls_timed"]) * 70
    assert u["classes"]["cudart"] == {"ns": 6400 * 70, "calls": 6400, "calls_timed": asked["calls_timed"], "estimated_ns": asked["estimated_ns"]}
    assert u["wall_ns"] == 800 * (1000 + 560 + 60 + 4400 + 60) - 60
    assert u["counts"]["launches"] == 800 and r["kernels"][0]["unit_launches"] == 800
    assert u["state_calls"] == {"calls": 8000, "calls_timed": 500, "calls_without_time": 0, "estimated_ns": asked["estimated_ns"] + mode["estimated_ns"]}


def test_the_run_and_other_threads_count_alike():
    p = Linear()
    other = p.trace.thread("pt_autograd_0")
    frame = p.trace.python("run", "/x/run.py", 1)
    other.call(frame, 500, lambda: other.counted(p.device, 5), 350, lambda: other.call(p.driver, 400))
    r = report(p.play(160), "--warmup", "0")
    mine, theirs = r["run"]["threads"]
    assert theirs["classes"]["cudart"] == {"ns": 350, "calls": 5, "calls_timed": 0, "estimated_ns": 350}
    assert theirs["classes"]["python"]["ns"] == 500 and theirs["recorded_ns"] == 1250
    assert mine["classes"]["cudart"]["calls"] == 160 * 8 and r["run"]["classes"]["cudart"]["calls"] == 160 * 8 + 5
    assert r["run"]["state_calls"]["calls"] == 160 * 10 + 5


def test_the_clock_reading_inside_a_timed_span_is_not_part_of_a_counted_call():
    p = Linear()
    p.trace.clock_probe(20)
    r = report(p.play(160), "--warmup", "0")
    asked = step(r, "cudaGetDevice")
    assert asked["estimated_ns"] == (asked["calls"] - asked["calls_timed"]) * 50
    assert asked["ns"] == asked["estimated_ns"] + asked["calls_timed"] * 70, "the timed ones stay as they are"
    p = Linear()
    p.trace.clock_probe(100)
    assert step(report(p.play(160), "--warmup", "0"), "cudaGetDevice")["estimated_ns"] == 0, "never below 0"


def test_a_step_of_which_no_call_was_timed_has_no_time():
    p = Linear()
    r = report(p.play(100, lambda: p.call(p.forward("f"), 500, lambda: p.main.counted(p.device, 3), p.launch_driver)), "--warmup", "0")
    asked = step(r, "cudaGetDevice")
    assert (asked["ns"], asked["calls"], asked["calls_timed"], asked["estimated_ns"]) == (0, 300, 0, 0)
    assert r["unit"]["state_calls"]["calls_without_time"] == 300 and step(r, "f")["ns"] == 100 * 500


def test_no_span_gives_more_than_its_own_time():
    p = Linear()
    def short_forward():
        p.call(p.forward("f"), lambda: p.call(p.device, 70), 20, lambda: p.main.counted(p.device, 3), 80, p.launch_driver)
    r = report(p.play(100, short_forward), "--warmup", "0")
    assert step(r, "f")["ns"] == 0 and step(r, "cudaGetDevice")["ns"] == 100 * (70 + 100)
    assert step(r, "cudaGetDevice")["estimated_ns"] == 100 * 100


def test_interrupted_calls_do_not_count_for_the_estimate():
    p = Linear(one_in=2)
    times = iter([1_000_000] * 5 + [70] * 10000)
    def body():
        p.call(p.forward("f"), 1000, lambda: p.call(p.device, next(times)), lambda: p.main.counted(p.device), p.launch_driver)
    r = report(p.play(200, body), "--warmup", "10")
    assert step(r, "cudaGetDevice")["estimated_ns"] == r["unit"]["statistics"]["counted"] * 70


def test_time_of_a_call_is_with_what_it_calls():
    p = Linear()
    inner = p.trace.hooked("cuCtxGetCurrent", 8, QUERY)
    def body():
        p.call(p.forward("f"), 1000, lambda: p.call(p.device, 20, lambda: p.call(inner, 30)), lambda: p.main.counted(p.device), p.launch_driver)
    r = report(p.play(100, body), "--warmup", "0")
    assert step(r, "cudaGetDevice")["estimated_ns"] == 100 * 50 and step(r, "cudaGetDevice")["ns"] == 100 * 70


def test_a_sample_of_the_calls_does_not_change_the_unit_of_a_program_without_python():
    """The loop's frame asks for the device between its launches: the timed ones stand in no sequence"""
    p = Program(python=False)
    p.main.enter(p.trace.hooked("main", 2))
    for i in range(300):
        for k in range(3):
            if (i * 7 + k * 5) % 16 == 0:
                p.call(p.device, 70)
            else:
                p.main.counted(p.device)
                p.main.now += 70
        p.call(p.gemm, 100, p.launch_driver, 50)
        p.main.now += 90
    r = report(p.end(), "--warmup", "0")
    u = r["unit"]
    assert (u["name"], u["statistics"]["n"]) == ("cublasGemmEx", 300) and u["counts"]["launches"] == 300
    assert u["wall_ns"] == 299 * (210 + 150 + 4400 + 90) + 4550
    assert step(r, "cudaGetDevice")["calls"] == 3 * 299 and step(r, "cudaGetDevice")["ns"] == 3 * 299 * 70


def test_counted_calls_know_their_line():
    p = Linear()
    f = p.trace.python("f", "/x/f.py", 10)
    table = bytes([0x80 | 10 << 3 | 1, 0, 0x80 | 11 << 3 | 1, 0, 0])
    p.trace.define(7, struct.pack("<IIII", f, 3, 10, len(table)) + table)
    r = report(p.play(50, lambda: p.call(f, 100, lambda: p.main.record(R_AT, 2), lambda: p.main.counted(p.device), 50, p.launch_driver)))
    assert (step(r, "cudaGetDevice")["caller_file"], step(r, "cudaGetDevice")["caller_line"]) == ("/x/f.py", 11)


def test_short_functions():
    """of a Python function its timed calls with nothing inside say how long a counted one takes: 40 ns, not the 900 of those that call"""
    p = Linear(asks=0)
    leaf, isinstance_ = p.trace.python("is_compiling"), p.trace.native("isinstance", "python3.12")
    turn = 0

    def body():
        nonlocal turn
        turn += 1
        for id_, ns in ((leaf, 40), (isinstance_, 25)):
            if turn % 16 == 0:
                p.call(id_, ns)
            else:
                p.main.counted(id_)
                p.main.now += ns
        if turn % 50 == 0:
            p.call(leaf, 400, lambda: p.call(p.device, 70), 430)
        p.call(p.forward("f"), 500, p.launch_driver)

    r = report(p.play(800, lambda: p.call(p.forward("step"), 10, body, 10)), "--warmup", "0")
    assert step(r, "is_compiling")["calls"] == 816 and step(r, "isinstance")["calls"] == 800
    assert step(r, "is_compiling")["ns"] == 800 * 40 + 16 * 830, step(r, "is_compiling")
    assert step(r, "isinstance")["ns"] == 800 * 25 and step(r, "isinstance")["calls_timed"] == 50


def text(trace, *options):
    code, out, err = run(trace, *options)
    assert code == 0 and not err, (code, err)
    return out


def test_the_report_says_what_was_counted():
    out = text(Linear().play(800), "--warmup", "0")
    assert "  10 of 12 calls per call are of functions that proved short: counted, 1 in 16 timed, their time\n  estimated from those (OVH_TIME_QUERIES=1 times all)\n" in out
    assert "time is not known" not in out
    p = Linear()
    out = text(p.play(100, lambda: p.call(p.forward("f"), 500, lambda: p.main.counted(p.device, 3), p.launch_driver)))
    assert "  3 of them per call are calls of functions of which none was timed" in out
    assert "proved short" not in text(Linear(one_in=1).play(100))


def test_tree_and_timeline_show_them():
    t = Linear().play(160)
    tree, line = text(t, "--tree", "--warmup", "0"), text(t, "--timeline", "--warmup", "0")
    row = [x.split() for x in tree.splitlines() if "cudaGetDevice" in x]
    assert row == [["0.56", "0.56", "8", "cudart", "cudaGetDevice", "libcudart.so.13", "from", "torch/nn/modules/linear.py:124"]], row
    rows = [x.split() for x in line.splitlines() if "cudaGetDevice" in x]
    assert len(rows) == 8 and sum(x[1] == "counted" for x in rows) >= 7 and rows[0][2] == "cudart"


def test_without_a_unit_they_are_in_the_run():
    t = Trace()
    main_ = t.thread("python")
    device = t.hooked("cudaGetDevice", CUDART, QUERY)
    main_.call(t.python("f"), 100, lambda: main_.call(device, 70), lambda: main_.counted(device, 2), 140)
    t.end()
    r = report(t)
    assert r["unit"] is None and r["run"]["classes"]["cudart"] == {"ns": 210, "calls": 3, "calls_timed": 1, "estimated_ns": 140}
    assert "3 of 4 calls per run are of functions that proved short: counted, some of them timed" in text(t)


if __name__ == "__main__":
    main()
