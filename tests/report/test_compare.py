#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comparison of traces whose truth is known, and the gates."""
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import REPORT, Program, run
from ladder import Ladder
from tap import main
from synthetic import CUBLASLT, HEURISTIC, POP, PUSH, R_GEMM, low_high


def scatter(i, width):
    """Even, without a trend, -width .. width."""
    return (i * 7919) % (2 * width + 1) - width


def linear(gemm=3000, n=400, extra=None, noise=0, slow=0, file=None, shape=None, values=()):
    """torch's Linear, 13 740 ns; `extra(p, i)` is called within the forward, `slow` ns more of its own time."""
    p = Program()
    for key, value in values:
        p.trace.value(key, value)
    if file:
        p.forwards["Linear.forward"] = p.trace.python("Linear.forward", file, 124)

    def gemm_call():
        if shape:
            m, k, l = shape
            p.main.record(R_GEMM, 1, *low_high(m), *low_high(k), *low_high(l), 1, 0)
        p.launch_driver()
    for i in range(n):
        p.in_module("Linear.forward", 500 + slow + (scatter(i, noise) if noise else 0), lambda: p.call(p.device, 70), 100,
                    lambda: p.call(p.device, 70), 200, *([lambda i=i: extra(p, i)] if extra else []),
                    lambda: p.call(p.gemm, gemm, gemm_call, 3600), 800)
        p.main.now += 60
    return p.end()


def compare(traces, *options, status=0):
    code, out, err = run(traces, "--format", "json", *options)
    assert code == status and not err, (code, out[-2000:], err)
    return json.loads(out)


def row(c, name, kind=None):
    rows = c["comparison"]["rows"]
    found = [r for r in rows if r["name"] == name and (kind is None or r["kind"] == kind)]
    assert len(found) == 1, (name, [r["name"] for r in rows])
    return found[0]


def grouped(base, change, *options):
    """ovh-report with several runs of each side: (status, stdout, stderr)."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for side, traces in (("base", base), ("change", change)):
            names[side] = [os.path.join(folder, "%s%d.bin" % (side, i)) for i in range(len(traces))]
            for name, t in zip(names[side], traces):
                t.write(name)
        p = subprocess.run([REPORT, *options, "--base", *names["base"], "--change", *names["change"]], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def test_differences_are_exact():
    """a step that takes 700 ns more, to the ns, in its row, its class, host, sum and wall"""
    c = compare([linear(), linear(slow=700)])
    for name in ("python", "host", "sum", "wall"):
        change = row(c, name)["changes"][1]
        assert abs(change["ns"] - 700) < 0.01, (name, change)
    r = row(c, "Linear.forward")
    assert r["sides"][0]["ns"] == 1600 and r["sides"][1]["ns"] == 2300 and r["changes"][1]["verdict"] == "slower"
    assert abs(r["changes"][1]["ratio"] - 2300 / 1600) < 1e-9
    assert row(c, "cublas")["changes"][1]["ns"] == 0 and row(c, "cublas")["changes"][1]["verdict"] == "not sure"  # of one run each
    assert row(c, "(between calls)")["changes"][1]["verdict"] == "same"  # too small to matter
    assert c["comparison"]["rows"].index(r) == min(i for i, x in enumerate(c["comparison"]["rows"]) if x["kind"] == "step")


def test_new_and_gone_steps():
    steps = {}

    def heuristic(p, i):
        if id(p) not in steps:
            steps[id(p)] = p.trace.hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC)
        p.call(steps[id(p)], 1200)
    with_it, without = linear(extra=heuristic), linear()
    c = compare([without, with_it])
    r = row(c, "cublasLtMatmulAlgoGetHeuristic")
    assert r["changes"][1]["verdict"] == "new" and r["changes"][1]["ratio"] is None and r["changes"][1]["ns"] == 1200
    assert not r["sides"][0]["there"] and r["sides"][1]["calls"] == 1
    r = row(compare([with_it, without]), "cublasLtMatmulAlgoGetHeuristic")
    assert r["changes"][1]["verdict"] == "gone" and r["changes"][1]["ns"] == -1200


def test_noise_is_not_a_difference():
    """two runs whose units scatter by 400 ns and differ by 20 in the mean: not told apart"""
    c = compare([linear(noise=400), linear(noise=400, slow=20)])
    change = row(c, "host")["changes"][1]
    assert change["verdict"] in ("same", "not sure") and change["low_ns"] < 0 < change["high_ns"], change


def test_a_function_that_moved_is_the_same_step():
    c = compare([linear(), linear(file="/v/site-packages/torch/nn/modules/other.py", slow=100)])
    r = row(c, "Linear.forward")
    assert r["sides"][0]["there"] and r["sides"][1]["there"] and r["changes"][1]["ns"] == 100


def test_two_modes_are_not_sure():
    """one run whose second half is slower by 3 us: its interval spans both halves, the difference is not sure"""
    def slower_later(p, i):
        if i >= 200:
            p.main.now += 3000
    change = row(compare([linear(extra=slower_later), linear(slow=1500)]), "host")["changes"][1]
    assert change["verdict"] == "not sure" and change["low_ns"] < -1000 and change["high_ns"] > 1000, change


def test_three_sides():
    c = compare([linear(), linear(slow=500), linear(slow=-300)])
    changes = row(c, "host")["changes"]
    assert changes[0] is None and round(changes[1]["ns"]) == 500 and round(changes[2]["ns"]) == -300 and len(c["comparison"]["sides"]) == 3


def test_units_that_are_ranges():
    def ranged(ns):
        p = Program()
        step = p.trace.range("step")
        for _ in range(60):
            p.main.range(PUSH, step)
            p.call(p.device, ns)
            p.launch_driver()
            p.main.range(POP, step)
            p.main.now += 500
        return p.end()
    c = compare([ranged(1000), ranged(1600)], "--unit", "nvtx:step")
    r = row(c, "cudaGetDevice")
    assert r["sides"][0]["ns"] == 1000 and abs(r["changes"][1]["ns"] - 600) < 0.01 and r["changes"][1]["verdict"] == "slower"


def test_the_profilers_own_cost_is_no_difference():
    """the same program under probes that cost twice as much: equal once their cost is taken off"""
    cheap, dear = Ladder(call=40, frame=100, native=60).rounds(14).end(), Ladder(call=80, frame=200, native=120).rounds(14).end()
    c = compare([cheap, dear])
    assert c["comparison"]["corrected"] is True
    host, wall = row(c, "host"), row(c, "wall")
    assert abs(host["changes"][1]["ns"]) < 0.01 * host["sides"][0]["ns"], host
    assert wall["changes"][1]["ns"] > 0.02 * wall["sides"][0]["ns"], wall
    assert compare([linear(), linear()])["comparison"]["corrected"] is False


def test_text_has_both_sides():
    code, out, err = run([linear(values=[("torch", "2.10.0"), ("cpu.model", "Xeon")]), linear(slow=700, values=[("torch", "2.11.0"), ("cpu.model", "Grace")])])
    assert code == 0 and not err
    assert "differs: torch: 2.10.0 | b: 2.11.0" in out and "differs: CPU: Xeon | b: Grace" in out
    assert re.search(r"^  python +2\.66 +3 +3\.36 +3 +\+0\.70 +\+0\.\d+ \.\. \+0\.\d+ +1\.26x +slower$", out, re.M), out
    assert re.search(r"^  Linear\.forward +1\.60 +1 +2\.30 +1 +\+0\.70 .* slower", out, re.M)
    assert "unlike work" not in out


def test_unlike_work_is_said():
    a, b = linear(shape=(1024, 1024, 512)), linear(shape=(1024, 1024, 1024))
    code, out, err = run([a, b])
    assert code == 0 and "! a and b do unlike work per unit; largest GEMM 1024 x 1024 x 512, 1024 x 1024 x 1024" in out
    code, out, err = run([a, linear(shape=(1024, 1024, 512))])
    assert "unlike" not in out
    two = linear(extra=lambda p, i: p.launch_driver())
    code, out, err = run([linear(), two])
    assert "! a and b do unlike work per unit; launches 1, 2" in out
    assert compare([linear(), two])["comparison"]["sides"][1]["unlike"] == ["launches"]


def test_gates_on_a_share():
    """--gate: fine, worse and not sure, on host, a class and a step"""
    base, slower = linear(), linear(slow=2800)  # host +20 %, python +105 %, the step +175 %
    for gate, status in (("5%", 1), ("40%", 0), ("host=20%", 3), ("class:python=80%", 1), ("class:python=150%", 0), ("class:cublas=10%", 0),
                         ("step:Linear.forward=140%", 1), ("step:Linear.forward=220%", 0), ("wall=5%", 1), ("sum=40%", 0),
                         ("40%,step:Linear.forward=140%", 1), ("host=20%,class:cublas=10%", 3), ("class:gc=1%", 0)):
        code, out, err = run([base, slower], "--gate", gate)
        assert code == status and not err, (gate, code, out[-400:])
    code, out, err = run([slower, base], "--gate", "step:Linear.forward=-30%")
    assert code == 0, "at least 30 % faster: it is"


def test_gates_on_counts():
    """counts need no second trace, and no statistics"""
    one = linear()
    for gate, status in (("launches=1,syncs=0,allocs=0,python-calls<=3", 0), ("launches=2", 1), ("python-calls<=2", 1), ("python-calls<=99", 0),
                         ("calls:cudaGetDevice=2", 0), ("calls:cudaGetDevice<=1", 1), ("cuda-calls<=4", 0), ("gemms=1", 0),
                         ("native-calls=0", 3)):
        code, out, err = run(one, "--gate", gate)
        assert code == status and not err, (gate, code, out[-300:])
        assert "gates" in out and "13.8 us/call" in out
    two = linear(extra=lambda p, i: p.call(p.device, 70))
    for gate, status in (("cuda-calls<=base", 1), ("launches=base", 0), ("calls:cudaGetDevice<=base", 1)):
        assert run([one, two], "--gate", gate)[0] == status, gate
    assert run([two, one], "--gate", "cuda-calls<=base")[0] == 0
    answers = compare([one, two], "--gate", "9%", "--gate", "cuda-calls<=4", status=1)["gates"]
    assert [(a["status"], a["kind"]) for a in answers] == [("fine", "share"), ("worse", "count")] and answers[1]["value"] == 5


def test_a_new_step_misses_its_gate():
    two = linear(extra=lambda p, i: p.call(p.copy, 500))
    assert run([linear(), two], "--gate", "step:cudaMemcpyAsync=5%")[0] == 1
    assert run([two, linear()], "--gate", "step:cudaMemcpyAsync=5%")[0] == 0


def test_wrong_gates_are_said_in_one_sentence():
    base = linear()
    for gate in ("5", "x=5%", "class:nonsense=3%", "launches=many", "nonsense<=3", "", "host=", "launches=-1", "host=-200%"):
        code, out, err = run([base, base], "--gate", gate)
        assert code == 2 and err.startswith("ovh-report: --gate: ") and not out, (gate, code, err)
    code, out, err = run([base, base], "--gate", "step:nobody=3%")
    assert code == 2 and "neither side has a step named nobody" in err
    for options, word in ((("--gate", "5%"), "second side"), (("--gate", "launches=base"), "second side"), (("--tree", "--gate", "launches=1"), "forms text and json")):
        code, out, err = run(base, *options)
        assert code == 2 and word in err and not out, (options, err)


def test_several_runs_of_each_side():
    """eight runs of each: the interval comes from the runs; one bad run does not hide the difference"""
    def runs(slow):
        return [linear(n=60, slow=slow + 10 * i) for i in range(7)] + [linear(n=60, slow=slow + 20000)]
    code, out, err = grouped(runs(0), runs(700), "--gate", "2%")
    assert code == 1 and "intervals (95 %) from how the runs differ" in out and not err, (code, out, err)
    assert grouped(runs(0), runs(0), "--gate", "2%")[0] == 0
    assert grouped(runs(0)[:4], runs(0)[:4], "--gate", "2%")[0] == 0
    code, out, err = grouped(runs(0), runs(700), "--format", "json")
    c = json.loads(out)
    change = row(c, "host")["changes"][1]
    assert code == 0 and c["comparison"]["intervals"] == "runs" and abs(change["ns"] - 700) < 1 and change["low_ns"] > 600
    assert len(c["comparison"]["sides"][0]["files"]) == 8


def test_the_interval_of_four_runs_spans_all_differences():
    def runs(*slow):
        return [linear(n=60, slow=s) for s in slow]
    code, out, err = grouped(runs(0, 10, 20, 30), runs(100, 110, 120, 130), "--format", "json")
    change = row(json.loads(out), "host")["changes"][1]
    assert abs(change["low_ns"] - 70) < 0.01 and abs(change["high_ns"] - 130) < 0.01 and abs(change["ns"] - 100) < 0.01, change


def timed_linear(command, rounds=3, **more):
    """Rounds of 100 calls between two events; 50 us of GPU time per call, told by cudaEventElapsedTime."""
    p = Program(**more)
    p.trace.value("command", command)
    for _ in range(rounds):
        p.record_event(1)
        for _ in range(100):
            p.in_module("Linear.forward", 500, lambda: p.call(p.gemm, 3000, lambda: (p.main.record(
                R_GEMM, 1, *low_high(1000), *low_high(2000), *low_high(500), 1, 0), p.launch_driver()), 3600), 800)
            p.main.now += 60
        p.record_event(2)
        p.call(p.sync, 4000000)
        p.ask_elapsed(5000.0)
    return p.end()


def test_table_of_backends():
    """backend, CPU us, event us, TFLOP/s by the GEMM's arguments; as text, CSV and Markdown"""
    traces = [timed_linear("python bench.py --backend te"), timed_linear("python bench.py --backend=a,b", simulated=True), timed_linear("x")]
    code, out, err = run(traces, "--table", "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0 and not err and [r["backend"] for r in rows] == ["te", "a,b", "2"], out
    assert all(r["event_us"] == "50.00" and r["kernel_us"] == "n/a" and r["tflops"] == "40.00" for r in rows), out  # 2e9 / 50 us
    assert all(abs(float(r["cpu_us"]) - 13.36) < 0.02 for r in rows), out
    assert ["simulated device" in r["source"] for r in rows] == [False, True, False]
    code, out, err = run(traces, "--table")
    assert code == 0 and re.search(r"^  te +not recorded +13\.\d\d +50\.00 +n/a +40\.00", out, re.M), out
    code, out, err = run(traces[0], "--table", "--format", "markdown", "--published")
    lines = out.splitlines()
    assert code == 0 and lines[1].startswith("|---") and len({line.count("|") for line in lines}) == 1, out
    assert "| te | H100 DGX | 49.19 | 101.88 | n/a | 674.51 | published: Transformer Engine issue |" in lines
    assert sum("published" in line for line in lines) == 8
    for options in (("--table", "--tree"), ("--published",), ("--table", "--format", "json"), ("--format", "xml")):
        code, out, err = run(traces[0], *options)
        assert code == 2 and err and not out, options


def test_wrong_grouping_is_said():
    t = linear(n=40)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "t.bin")
        t.write(name)
        for options in (["--base", name], ["--change", name], [name, "--base", name, "--change", name], ["--base", name, "--change"],
                        ["--base", name, "--base", name, "--change", name], ["--base", name, "--change", "--change", name]):
            p = subprocess.run([REPORT, *options], capture_output=True, text=True)
            assert p.returncode == 2 and p.stderr.startswith("ovh-report: ") and not p.stdout, (options, p)


def test_nothing_to_compare_is_said():
    p = Program()
    p.call(p.sync, 100)
    code, out, err = run([linear(), p.end()], "--gate", "5%")
    assert code == 2 and "nothing is compared: no unit of work was found in it" in err and "13.8 us/call" in out
    code, out, err = run([linear(), p.trace])
    assert code == 0 and "nothing is compared" in err


if __name__ == "__main__":
    main()
