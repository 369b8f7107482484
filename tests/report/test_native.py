#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C functions called from Python in the report: a class of their own, in the tree under the frame that calls them; what they
launch keeps its line of Python; the unit of work stays what it is without them."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, report, run, step, timed
from tap import main
from synthetic import R_AT


def program(n=100, with_native=True):
    """n forwards. In each: isinstance 300 ns, torch._C._nn.linear 900 + 1 100 around a GEMM that is called from line 128, and a
    call that fails; in the loop a time.perf_counter between forwards."""
    p = Program()
    t = p.trace
    clock, is_a = t.native("time.perf_counter", "python3.12"), t.native("isinstance", "python3.12")
    linear, fails = t.native("torch._C._nn.linear", "libtorch_python.so"), t.native("dict.pop", "python3.12")
    forward = p.forward("Linear.forward")
    t.line_table(forward, 124, 10)

    def native(id_, *body, **more):
        if with_native:
            p.call(id_, *body, **more)
        else:
            p.main.play(*body)

    def gemm():
        p.main.record(R_AT, 4)
        p.call(p.gemm, 3000, p.launch_driver, 3600)

    for _ in range(n):
        native(clock, 50)
        p.in_module("Linear.forward", 500, lambda: native(is_a, 300), 200, lambda: native(linear, 900, gemm, 1100),
                    lambda: native(fails, 40, failed=True), 60)
        p.main.now += 30
    return p


def test_native_time_is_a_class_of_its_own():
    u = report(program().end())["unit"]
    assert u["statistics"]["counted"] == 100
    # the last forward is not followed by another: what comes before the first belongs to no unit
    assert u["classes"]["native"] == timed(2340 * 100 + 50 * 99, 300 + 99), u["classes"]
    linear = step({"unit": u}, "torch._C._nn.linear")
    assert (linear["class"], linear["file"], linear["ns"], linear["calls"]) == ("native", "libtorch_python.so", 200000, 100), linear


def test_a_call_inside_a_c_function_keeps_its_line_of_python():
    r = report(program().end())
    for name in ("cublasGemmEx", "cuLaunchKernelEx"):
        called = step(r, name)
        assert called["caller_file"].endswith("linear.py") and called["caller_line"] == 128, called


def test_the_unit_is_what_it_is_without_them():
    with_, without = (report(program(with_native=on).end())["unit"] for on in (True, False))
    for key in ("kind", "name", "called_as", "called_from", "wall_ns"):
        assert with_[key] == without[key], key
    assert with_["statistics"]["n"] == without["statistics"]["n"] == 100
    assert "native" not in without["classes"]
    python, native = with_["classes"]["python"]["ns"], with_["classes"]["native"]["ns"]
    assert without["classes"]["python"]["ns"] == python + native


def test_the_tree_shows_them_under_the_frame_that_calls():
    tree = run(program().end(), "--tree")[1].splitlines()
    place = {name: next(i for i, line in enumerate(tree) if " %s" % name in line and "class" not in line.split()[:4])
             for name in ("Linear.forward  torch", "isinstance", "torch._C._nn.linear", "cublasGemmEx", "dict.pop")}
    assert sorted(place, key=place.get) == list(place), place
    assert tree[place["torch._C._nn.linear"]].split()[3:] == ["native", "torch._C._nn.linear", "libtorch_python.so"]
    indent = [tree[i].index(name.split()[0]) for name, i in place.items()]
    assert indent[1] == indent[2] == indent[4] > indent[0] and indent[3] > indent[2], indent


def test_the_head_says_how_many_are_seen():
    p = program()
    p.trace.coverage(1200, 0, "native slot")
    p.trace.coverage(500, 0, "native tp_call")
    p.trace.coverage(290, 0, "native pointer")
    p.trace.coverage(0, 7, "native unseen str")
    p.trace.coverage(0, 3, "native unseen \x1btype")
    trace = p.end()
    line = next(x for x in run(trace)[1].splitlines() if x.startswith("C functions"))
    assert line == ("C functions called from Python: of 2 000 calls checked 1 200 seen by slot, 500 by tp_call, "
                    "290 by the interpreter's pointers, 10 unseen (str 7, ?type 3)"), line
    native = report(trace)["native_coverage"]
    assert native == {"slot": 1200, "tp_call": 500, "pointer": 290, "unseen": 10, "unseen_names": {"str": 7, "\x1btype": 3}}, native
    assert report(program().end())["native_coverage"] is None
    assert "calls checked: 1200 seen, 0 unseen: native slot" in run(trace, "--verify")[1]


if __name__ == "__main__":
    main()
