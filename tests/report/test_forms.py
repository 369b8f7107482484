#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The forms of the report: what stands where, for people and programs."""
import ctypes
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, report, run
from tap import main
from synthetic import Trace


def linear(simulated=False, n=100, extra=None):
    p = Program(simulated)
    p.trace.value("command", "python bench.py --backend torch")
    for _ in range(n):
        p.linear()
        p.main.now += 60
    if extra:
        extra(p)
    return p.end()


def text(trace, *options, status=0, env=None):
    code, out, err = run(trace, *options, env=env)
    assert code == status and not err, (code, err)
    return out


def figures(out, name):
    """The numbers in the row of the class table that begins with `name`."""
    row = [line for line in out.splitlines() if re.match(r"  %s +\d" % name, line)]
    assert len(row) == 1, (name, out)
    return [float(x) for x in re.findall(r"[\d.]+", re.sub(r"[\d.]+ \.\. [\d.]+", "", row[0]))]  # without the interval


def test_sum_and_wall_stand_below_each_other_and_agree():
    out = text(linear(), "--warmup", "0")
    assert figures(out, "python")[0] == 2.66 and figures(out, "driver") == [4.40, 31.9, 1]
    assert figures(out, "sum")[0] == figures(out, "wall")[0] == 13.8
    lines = out.splitlines()
    assert [i for i, x in enumerate(lines) if x.startswith("  sum")][0] + 1 == [i for i, x in enumerate(lines) if x.startswith("  wall")][0]


def intervals(out, name):
    row = [x for x in out.splitlines() if x.split()[:1] == [name]][-1]
    found = re.search(r"([\d.]+) \.\. ([\d.]+)", row)
    return found and (float(found[1]), float(found[2]))


def test_every_row_has_its_interval():
    """95 %, of the unit's blocks: one number where all units are equal, none where there are fewer than six, the mean always within"""
    equal = text(linear(), "--warmup", "0")
    assert intervals(equal, "python") == (2.66, 2.66) and intervals(equal, "sum") == (13.8, 13.8) == intervals(equal, "wall")
    p, dice = Program(), random.Random(3)
    launch = lambda: p.call(p.driver, 400, lambda: p.main.launch(p.kernel), 400)
    for _ in range(400):
        p.call(p.forward("Linear.forward"), dice.randrange(800, 1200), launch, 200)
        p.main.now += 60
    r = report(p.end(), "--warmup", "0")
    low, high = r["unit"]["class_intervals_ns"]["python"]
    mean = r["unit"]["classes"]["python"]["ns"] / 400
    assert low <= mean <= high and low < 1260 < high and 5 < high - low < 60, (low, mean, high)  # sqrt(2/48) * 115 / sqrt(8) * 1.96 is 16
    step = [s for s in r["unit"]["steps"] if s["name"] == "Linear.forward"][0]
    assert step["interval_ns"][0] < 1200 < step["interval_ns"][1]
    assert r["unit"]["class_intervals_ns"]["driver"] == [800, 800]
    few = Program()
    for _ in range(5):
        few.linear()
        few.main.now += 60
    assert intervals(text(few.end(), "--warmup", "0", "--unit", "Linear.forward"), "python") is None


def mangled(name):
    p = Program()
    p.kernel = p.trace.kernel(name)
    for _ in range(100):
        p.linear()
        p.main.now += 60
    return p.end()


def test_kernel_names_are_told_as_written():
    """Demangled where this machine's C++ library can do it; JSON keeps both; what is no mangled name stays as it is"""
    try:
        ctypes.CDLL("libstdc++.so.6")
        plain = "at::native::add(float*, int)"
    except OSError:
        plain = "_ZN2at6native3addEPfi"
    for name, told in (("_ZN2at6native3addEPfi", plain), ("_Zno", "_Zno"), ("gemm", "gemm")):
        assert "  " + told in text(mangled(name)), text(mangled(name))
        kernel, = json.loads(text(mangled(name), "--format", "json"))["reports"][0]["kernels"]
        assert (kernel["name"], kernel["demangled"]) == (name, told), kernel


def test_the_first_line_says_simulated_device_always():
    for options in ((), ("--tree",), ("--timeline",)):
        first = text(linear(True), *options).splitlines()[0]
        assert "simulated device" in first and "bench.py" in first, first
        assert "simulated" not in text(linear(False), *options)
    assert json.loads(text(linear(True), "--format", "json"))["reports"][0]["simulated_device"] is True


def test_the_head_names_unit_statistics_and_verdict():
    out = text(linear())
    assert re.search(r"^Linear\.forward  \(torch/nn/modules/linear\.py\) +100 calls, \d+ warm-up left out$", out, re.M)
    assert re.search(r"^  13\.8 us/call  \[13\.8 \.\. 13\.8\].*p99 13\.8   1 launch, 0 heuristics, 0 syncs, 0 allocations per call$", out, re.M)
    assert "verdict: not known" in out and "GPU time not known" in out


def test_what_python_contains_is_said():
    out = text(linear())
    assert "native code between Python and the hooked calls is inside `python`: OVH_DETAIL=3 records C functions apart" in out
    p = Program()
    p.trace.step("linear", 2, 0, "", 0)  # a native step: the remark goes away by itself
    for _ in range(20):
        p.linear()
    assert "not recorded by itself yet" not in text(p.end())


def test_work_of_other_threads_is_shown_and_said():
    def worker(p):
        t = p.trace.thread("pt_autograd_0")
        for _ in range(7):
            t.call(p.driver, 4000)
    out = text(linear(extra=worker))
    assert re.search(r"pt_autograd_0 +0\.03 +7 ", out) and "7 launches of the whole run were made by other threads" in out


def test_no_colour_but_on_a_terminal():
    assert "\033" not in text(linear(), env={"TERM": "xterm-256color"})


def test_narrow_output_keeps_to_its_width():
    out = text(linear(), env={"COLUMNS": "80"})
    rows = out[out.index("costliest"):out.index("native code")].splitlines()
    assert rows and all(len(line) <= 80 for line in rows), [line for line in rows if len(line) > 80]


def test_control_characters_of_the_trace_do_not_reach_the_terminal():
    p = Program()
    p.trace.value("command", "python \033]0;x\007")
    p.trace.note("a\033[2Jb")
    f = p.trace.python("f\033[31m", "/x/\033.py")
    for _ in range(20):
        p.call(f, 10, p.launch_driver)
    t = p.end()
    for options in ((), ("--tree",), ("--timeline",)):
        assert "\033" not in text(t, *options)


def test_losses_stand_at_the_top():
    p = Program()
    for _ in range(30):
        p.linear()
    p.main.enter(p.device)
    p.main.now += 5
    out = text(p.trace, status=4).splitlines()
    assert any(line.startswith("! 2 INCOMPLETE") for line in out[:6]), out[:6]


def test_several_traces_are_reported_in_turn():
    out = text([linear(), linear(True)], "--each")
    assert out.count("ovh-report  ") == 2 and out.count("simulated device") == 1
    assert out.splitlines()[-1] == "2 traces were reported one after the other: they were not compared"
    assert len(json.loads(text([linear(), linear()], "--format", "json"))["reports"]) == 2


def test_a_bad_file_among_good_ones_does_not_keep_them_back():
    code, out, err = run([linear(), b"nonsense"])
    assert code == 2 and "13.8 us/call" in out and len(err.splitlines()) == 1 and err.startswith("ovh-report: ")


def test_the_tree_adds_up():
    out = text(linear(), "--tree", "--warmup", "0")
    row = re.search(r"^ +([\d.]+) +([\d.]+) +1  python    Module\._wrapped_call_impl", out, re.M)
    assert row and row.groups() == ("13.7", "0.40"), out
    assert re.search(r"^ +4\.40 +4\.40 +1  driver            cuLaunchKernelEx  libcuda\.so\.1  from torch/nn/modules/linear\.py:124$", out, re.M), out
    assert "(between calls, in <module>)" in out


def test_the_timeline_is_one_unit_in_order():
    out = text(linear(), "--timeline", "--warmup", "0")
    spans = re.findall(r"^ +([\d.]+) +([\d.]+)  (?:python|cudart|cublas|driver) +(\S+)$", out, re.M)
    assert spans == [("0.00", "13.7", "Module._wrapped_call_impl"), ("0.30", "13.3", "Module._call_impl"), ("0.70", "12.7", "Linear.forward"),
                     ("1.20", "0.07", "cudaGetDevice"), ("1.37", "0.07", "cudaGetDevice"), ("1.64", "11.0", "cublasGemmEx"),
                     ("4.64", "4.40", "cuLaunchKernelEx")], out


def test_empty_results_are_one_clear_sentence():
    p = Program()
    p.call(p.device, 70)
    out = text(p.end())
    assert "No unit of work: nothing was launched. The whole run instead:" in out and figures(out, "cudart")[2] == 1
    assert "No unit of work was found" in text(p.trace, "--timeline")
    assert "cudaGetDevice" in text(p.trace, "--tree")
    t = Trace()
    t.end()
    assert "No unit of work: no call was recorded" in text(t)


def test_steps_limits_the_rows():
    out = text(linear(), "--steps", "2")
    assert "cublasGemmEx" in out and "cudaGetDevice" not in out


def test_the_profiling_cost_is_of_timed_calls_and_frames():
    def cost(*probes):
        p = Program()
        for probe in probes:
            p.trace.probe(*probe)
        for _ in range(40):
            p.linear()
        out = text(p.end())
        r = json.loads(text(p.trace, "--format", "json"))["reports"][0]["unit"]
        n, classes = r["statistics"]["counted"], r["classes"]
        frames = classes["python"]["calls"] / n
        return re.findall(r"profiling cost: at least ([\d.]+) us of each call", out), frames, sum(c["calls"] for c in classes.values()) / n - frames

    told, frames, hooked = cost((1, 1000), (2, 10000))
    assert frames >= 1 and hooked >= 1 and float(told[0]) == hooked + 10 * frames, (told, frames, hooked)
    told, frames, hooked = cost((1, 1000))  # a frame costs no less than a call
    assert float(told[0]) == hooked + frames, (told, frames, hooked)
    assert cost()[0] == []


def test_a_report_has_one_form():
    for options in (("--tree", "--timeline"), ("--format", "json", "--tree"), ("--dump", "--verify")):
        code, out, err = run(linear(), *options)
        assert code == 2 and not out and re.match(r"ovh-report: .* and .*: .*one", err), (options, code, err)
    assert text(linear(), "--tree", "--tree")


def test_messages_of_the_option_parser_carry_the_tools_name():
    code, _, err = run(linear(), "--nosuch")
    assert code == 2 and err.startswith("ovh-report: unrecognized option"), err


def test_a_file_that_was_cut_says_so_in_one_line():
    whole = linear().bytes(False)
    for left in (len(whole) - 1, len(whole) - 30000, len(whole) - 70000):
        code, out, err = run(whole[:left])
        told = [line for line in out.splitlines() if line.startswith("! ")]
        assert code == 4 and not err and len([t for t in told if "file cut off: its last " in t]) == 1, (left, told)
        assert not [t for t in told if "damaged" in t], told


def keys(value):
    """All keys of a JSON value but those of `values` and `classes`, which are names."""
    if isinstance(value, list):
        return set().union(*map(keys, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    return set(value) | set().union(*(keys(v) if k != "values" else set() for k, v in value.items()), set())


def test_the_schema_names_every_key():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/report-json.md")) as f:
        told = set(re.findall(r"`(\w+)`", f.read()))
    classes = {"python", "cublas", "cudart", "driver", "wait"}
    found = keys(json.loads(text([linear(), linear()], "--format", "json", "--units", "--gate", "50%"))) - classes
    assert len(found) > 80 and found <= told, found - told


if __name__ == "__main__":
    main()
