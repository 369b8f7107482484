#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C functions called from Python, on every CPython that is found: every call of every kind has its span, by its name, under the
Python function that made it; nothing that a program can see of a function changes."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import tap
import test_frames as frames
import trace_reader
from test_frames import Run, WANTED, interpreters

NATIVE = 2
LEVEL_3 = {"OVH_DETAIL": "3", "OVH_PYTHON_EVALUATOR": "always", "OVH_CHUNK": "256K"}
# Before 3.12 a profile function tells what is called, and it is not told of classes and of objects that are called.
NOT_LEARNED = {"WithMeta", "_lru_cache_wrapper"}


def record(interpreter, program, *arguments, **env):
    run = Run(interpreter, program, *arguments, env=dict(LEVEL_3, **env)).good()
    truth = run.truths()[-1]
    trace = run.traces[truth["pid"]]
    assert trace.values["python.native"] == "slots", trace.values
    assert not trace.losses, trace.losses
    return truth["extra"], trace


def callers(span):
    while span.parent:
        span = span.parent
        yield span.step.name


def natives(trace, under="measured", but="warm_up"):
    """Native spans that a Python function has under it."""
    for number in trace.events:
        for span in trace_reader.spans(trace, number):
            if span.step.class_ == NATIVE:
                names = list(callers(span))
                if under in names and but not in names:
                    yield span


def every_call_of_every_kind(interpreter):
    truth, trace = record(interpreter, "native")
    seen, failed = collections.Counter(), collections.Counter()
    for span in natives(trace):
        seen[span.step.name] += 1
        failed[span.step.name] += span.failed
    skip = NOT_LEARNED if interpreter.version < (3, 12) else set()
    different = {name: (n, seen[name]) for name, n in truth["counts"].items() if seen[name] != n and name not in skip}
    assert not different, "calls (made, in the trace): %s" % different
    assert {name: failed[name] for name in truth["failed"]} == truth["failed"], failed
    files = {span.step.file for span in natives(trace)}
    assert any("zlib" in name or "python" in name for name in files), files


def a_function_stays_what_it_was(interpreter):
    truth, trace = record(interpreter, "native_same")
    bare = Run(interpreter, "native_same", preload=False).good().truths()[-1]["extra"]
    assert truth == bare, (truth, bare)


def a_thousand_switches_under_four_threads(interpreter):
    truth, trace = record(interpreter, "native_switches", OVH_CHUNK="1M")
    assert truth["wrong"] == [] and truth["right"] == 48 and truth["switches"], truth
    assert truth["armed"] and truth["restored"], truth
    assert not any(truth["references"]), truth
    assert truth["grown"] < 4096, truth
    assert truth["kept"] and truth["chained"] and "other" not in truth, truth


def a_check_says_what_is_seen(interpreter):
    """2 000 calls are checked, ten a turn: shares of each way."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "trace.bin")
        Run(interpreter, "native_check", env=dict(LEVEL_3, OVH_OUT=out)).good()
        tool = os.environ.get("OVH_TEST_REPORT") or os.path.join(os.environ.get("OUT", "."), "ovh-report")
        forms = ((), ("--format", "json"), ("--dump",))
        text, report, dump = (subprocess.run([tool, *form, out], stdout=subprocess.PIPE).stdout.decode() for form in forms)
    cost = re.search(r"CALIBRATION probe=slot rounds=64 median_ps=(\d+)", dump)
    assert cost and 1000 < int(cost[1]) < 1000000, cost and cost[0]
    native = json.loads(report)["reports"][0]["native_coverage"]
    specialised, told = interpreter.version >= (3, 11), interpreter.version >= (3, 12)
    expected = {"tp_call": 2, "pointer": 3 if specialised else 0, "unseen": 1, "slot": 4 if specialised else 7}
    if not told:  # a profile function is not told of slot wrappers, and takes a bound method for its descriptor
        expected["tp_call"], expected["unseen"] = 1, 0
        expected["pointer" if specialised else "slot"] += 1
    turn = sum(expected.values())
    total = sum(native[way] for way in expected)
    assert total == 2000, native
    for way, n in expected.items():
        assert abs(native[way] - n * total / turn) <= 12, (way, n, native)
    assert "of 2 000 calls checked" in text, text[:500]
    if told:
        assert list(native["unseen_names"]) == ["list.append"], native


def other_interpreters_are_left_alone(interpreter):
    truth, trace = record(interpreter, "native_interpreters")
    assert truth["first"] == truth["second"] == [None, None], truth
    seen = collections.Counter(span.step.name for span in natives(trace))
    assert (seen["abs"], seen["isinstance"], seen["math.hypot"]) == (300, 300, 300), seen


def levels_are_switched_inside_c_functions(interpreter):
    run = Run(interpreter, "native_nested", env=LEVEL_3).good()
    truth = run.truths()[-1]
    assert frames.check_shots(interpreter, truth, run.traces[truth["pid"]], False) > 100


def short_functions_are_counted(interpreter):
    """The number of calls is exact; one in 16 of those that call nothing is timed. A function that calls something is timed for some calls after."""
    truth, trace = record(interpreter, "short_functions", OVH_TIME_QUERIES="16", OVH_SHORT_CALL="1000000000")
    timed, counted, launches = collections.Counter(), collections.Counter(), 0
    for number in trace.events:
        for span in trace_reader.spans(trace, number):
            if "measured" not in [span.step.name, *callers(span)]:
                continue
            timed[span.step.name] += 1
            counted += span.counted
            launches += span.step.class_ > NATIVE
            if span.step.name == "inner":
                assert span.counted["leaf"] + sum(child.step.name == "leaf" for child in span.children) == 1
    for name, calls in truth["calls"].items():
        assert timed[name] + counted[name] == calls, (name, timed[name], counted[name])
        if name == "inner":
            assert not counted[name], "it calls a function that is recorded"
        else: # of n calls n / 16 +- sqrt(n) / 4 are timed, and 8 in a row at the beginning
            assert calls / 32 < timed[name] < calls / 8, (name, timed[name])
    assert launches == truth["seldom"], launches
    timed_without = truth["calls"]["seldom"] / 16
    assert timed["seldom"] > timed_without / 2 + 8 * truth["seldom"] / 2, timed


def as_with_frames_alone(property_):
    """What test_frames.py asks of frames holds with C functions recorded as well."""
    def test(interpreter):
        property_(interpreter, {"OVH_DETAIL": "3", "OVH_PYTHON_EVALUATOR": "always"})
    test.__name__ = property_.__name__ + " at level 3"
    return test


PROPERTIES = [every_call_of_every_kind, a_function_stays_what_it_was, a_check_says_what_is_seen,
              a_thousand_switches_under_four_threads, short_functions_are_counted,
              other_interpreters_are_left_alone, levels_are_switched_inside_c_functions]
PROPERTIES += map(as_with_frames_alone, (
    frames.nesting_and_lines, frames.exceptions, frames.generators_and_coroutines, frames.threads,
    frames.a_deep_start, frames.fork, frames.recursion, frames.interpreter_exit, frames.no_leaks))


def add_tests():
    found = interpreters()
    for wanted in WANTED:
        mine = [i for i in found if i.version[:2] == wanted]
        if not mine:
            def missing(version=wanted):
                tap.skip("no CPython %d.%d found" % version)
            yield "CPython %d.%d" % wanted, missing
        for number, interpreter in enumerate(mine):
            place = " (%s)" % os.path.dirname(interpreter.path) if number else ""
            for p in PROPERTIES if number == 0 else PROPERTIES[:6]:
                title = "%s%s: %s" % (interpreter.name, place, p.__name__.replace("_", " "))
                yield title, lambda p=p, i=interpreter: p(i)


for number, (title, function) in enumerate(add_tests()):
    function.__doc__ = title
    globals()["test_%03d" % number] = function

if __name__ == "__main__":
    only = re.compile(os.environ.get("ONLY", ""))
    for name in [n for n in globals() if n.startswith("test_") and not only.search(globals()[n].__doc__ or "")]:
        del globals()[name]
    tap.main()
