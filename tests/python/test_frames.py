#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CPython side on every CPython that is found. tests/python/programs/ say what they do while libovh-trigger.so records
them; the trace must say the same: every call, the way to every hooked call, and its line."""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import tap
import trace_reader

PROGRAMS = os.path.join(HERE, "programs")
LIBRARY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build/x86_64"), "tests/python/libovh-trigger.so"))
WHOLE = os.path.abspath(os.path.join(os.environ.get("OUT", "."), "libovh.so"))
CUDART = os.path.abspath(os.path.join(os.environ.get("BUILD", "build/x86_64"), "sim/libcudart.so.13"))
WANTED = [(3, 9), (3, 10), (3, 11), (3, 12), (3, 13), (3, 14), (3, 15)]
PYTHON, TRIGGERS = trace_reader.PYTHON, ("cudaGetDevice", "cudaGetLastError")


class Interpreter:
    def __init__(self, path, version):
        self.path, self.version = path, version
        self.walks = version[:2] == (3, 12) and version[2] < 2
        self.name = "%d.%d.%d" % version


def interpreters():
    """python3.N on PATH, those of Debian's newer suites (scripts/newer_pythons.sh), pyenv's, the system's: by version. OVH_TEST_PYTHON:
    that one alone."""
    newer = os.environ.get("OVH_TEST_PYTHONS", "build/pythons")
    paths = ["python3.%d" % minor for _, minor in WANTED] + ["/usr/bin/python3"]
    paths += sorted(glob.glob(os.path.join(os.path.abspath(newer), "root/usr/bin/python3.*[0-9]")))
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    paths += sorted(glob.glob(os.path.join(pyenv, "versions/3.*/bin/python3")))
    paths = [os.environ["OVH_TEST_PYTHON"]] if "OVH_TEST_PYTHON" in os.environ else paths
    found = {}
    ask = "import sys; print(sys.executable, *sys.version_info[:3])"
    for path in paths:
        try:
            p = subprocess.run([path, "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
            text = p.stdout.decode().split()
        except OSError:
            continue
        if len(text) == 4 and tuple(map(int, text[1:3])) in WANTED:
            found.setdefault(os.path.realpath(text[0]), tuple(map(int, text[1:])))
    return [Interpreter(path, version) for path, version in sorted(found.items(), key=lambda f: f[1])]


class Run:
    """A program under an interpreter: its truth and its traces."""

    def __init__(self, interpreter, program, *arguments, env=None, preload=True):
        self.interpreter, self.program = interpreter, program
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=PROGRAMS, PYTHONIOENCODING="utf-8",
                               OVH_OUT=folder + "/trace.bin")
            environment.update({"OVH_CHUNK": "16K", "OVH_TIME_QUERIES": "1", "OVH_DETAIL": "2", **(env or {})})
            environment.pop("LD_PRELOAD", None)
            if preload:
                environment["LD_PRELOAD"] = WHOLE if "TRUTH_CUDART" in environment else LIBRARY
            command = [interpreter.path, os.path.join(PROGRAMS, program + ".py")] + list(map(str, arguments))
            p = subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=120)
            self.status, self.out, self.err = p.returncode, p.stdout.decode(), p.stderr.decode()
            self.traces = {}
            for name in glob.glob(folder + "/trace*.bin"):
                trace = trace_reader.read(name, check=os.path.getsize(name) < 1 << 20)
                self.traces[trace.head["pid"]] = trace

    def good(self):
        assert (self.status, self.err) == (0, ""), "status %s: %s%s" % (self.status, self.out[-500:], self.err[-2000:])
        return self

    def truths(self):
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]


def by_tid(trace):
    """{tid: its spans}; threads that had the same tid one after the other are one list."""
    found = collections.defaultdict(list)
    for number in sorted(trace.events):
        found[trace.thread_names[number][0]] += trace_reader.spans(trace, number)
    return found


def python_path(span):
    """[names] of the Python spans around a span, those of the tests' own helpers left out."""
    path = []
    while span.parent:
        span = span.parent
        if span.step.class_ == PYTHON and not span.step.file.endswith("truth.py"):
            path.append(span.step.name)
    return path[::-1]


def check_shots(interpreter, truth, trace, walked):
    threads = by_tid(trace)
    inlined = interpreter.version >= (3, 13)  # __init__ of a specialised call of a class is not seen by an evaluator
    compared = 0
    for tid, shots in truth["shots"].items():
        spans = [s for s in threads[int(tid)] if s.step.name in TRIGGERS]
        assert len(spans) == len(shots), "thread %s: %d hooked calls, trace has %d" % (tid, len(shots), len(spans))
        for i, (span, shot) in enumerate(zip(spans, shots)):
            if shot is None:
                continue
            names, line = [name for name, _ in shot], shot[-1][1]
            compared += 1
            if walked:
                got = [[step.name, line] for step, line in span.stack]
                assert got == shot, "call %d: %s, trace has %s" % (i, shot, got)
                continue
            got = python_path(span)
            if inlined:
                line = None if names[-1].endswith("__init__") else line
                names, got = ([n for n in path if not n.endswith("__init__")] for path in (names, got))
            assert got == names, "call %d: from %s, trace has %s" % (i, names, got)
            assert line in (None, span.line), "call %d from %s: line %s, trace has %s" % (i, names, line, span.line)
    return compared


def check_calls(truth, trace):
    seen = collections.Counter()
    for number in trace.events:
        for span in trace_reader.spans(trace, number):
            if span.step.class_ == PYTHON and "/lib/python" not in span.step.file and not span.begun_earlier:
                seen[span.step.name] += 1
    for name, n in truth["calls"].items():
        assert seen[name] == n, "%s: called %d times, trace has %d" % (name, n, seen[name])
    return seen


def check(interpreter, program, env=None, arguments=()):
    """Runs it, compares everything. Returns truth, trace, counts."""
    run = Run(interpreter, program, *arguments, env=env).good()
    truth = run.truths()[-1]
    trace = run.traces[truth["pid"]]
    way = (env or {}).get("OVH_PYTHON_EVALUATOR", "auto")
    walked = way == "never" or (way == "auto" and interpreter.walks)
    assert trace.values["python"] == interpreter.name, trace.values
    assert trace.values["python.frames"].split(":")[0] == ("walk" if walked else "evaluator"), trace.values
    assert not trace.losses, trace.losses
    assert trace.end == 1
    assert check_shots(interpreter, truth, trace, walked) > 3 or not truth["shots"]
    return truth, trace, {} if walked else check_calls(truth, trace)


# ---- one function per property; `env` says which way frames are seen ------------------------------------------------------

def nesting_and_lines(interpreter, env):
    check(interpreter, "plain", env)


def exceptions(interpreter, env):
    truth, trace, seen = check(interpreter, "errors", env)
    failed = collections.Counter(s.step.name for n in trace.events for s in trace_reader.spans(trace, n) if s.failed)
    for name, n in truth["extra"]["failed"].items():
        assert not seen or failed[name] == n, "%s: failed %d times, trace has %d" % (name, n, failed[name])


def generators_and_coroutines(interpreter, env):
    truth, trace, seen = check(interpreter, "generators", env)
    more = interpreter.version >= (3, 11)  # there the frame is entered once to make the generator
    for name, n in truth["extra"]["resumed"].items():
        expected = n + (truth["extra"]["created"][name] if more else 0)
        expected += truth["extra"]["closed"][name] if interpreter.version < (3, 13) else 0
        assert not seen or seen[name] == expected, "%s: entered %d times, trace has %d" % (name, expected, seen[name])


def classes(interpreter, env):
    check(interpreter, "classes", env)


def threads(interpreter, env):
    truth, trace, _ = check(interpreter, "threads", env)
    assert len(trace.events) >= 34, len(trace.events)


def a_deep_start(interpreter, env):
    check(interpreter, "deep_start", env)


def names_and_reused_addresses(interpreter, env):
    check(interpreter, "names", env)


def a_start_without_the_gil(interpreter, env):
    check(interpreter, "unattached", env)


def profilers_beside_us(interpreter, env):
    truth, _, _ = check(interpreter, "beside", env)
    bare = Run(interpreter, "beside", preload=False).good().truths()[-1]
    assert truth["extra"] == bare["extra"], (truth["extra"], bare["extra"])


def fork(interpreter, env):
    run = Run(interpreter, "fork", env=env).good()
    parent = run.truths()[-1]
    child = run.truths()[0]
    assert len(run.traces) == 2 and parent["pid"] != child["pid"]
    for truth in (parent, child):
        trace = run.traces[truth["pid"]]
        walked = trace.values["python.frames"].startswith("walk")
        check_shots(interpreter, truth, trace, walked)
        walked or check_calls(truth, trace)


def recursion(interpreter, env):
    for high in (3000, 20000 if interpreter.version >= (3, 11) else 19000):  # 3.9, 3.10: docs/python.md says what recording takes
        bare, ours = (Run(interpreter, "recursion", high, env=env, preload=on) for on in (False, True))
        if bare.status < 0:
            continue  # this build cannot do it without us either
        assert (bare.status, bare.err, bare.out) == (ours.status, ours.err, ours.out), (bare.out, ours.status, ours.out, ours.err)


def interpreter_exit(interpreter, env):
    for turn in range(5):
        run = Run(interpreter, "ending", env=env).good()
        assert list(run.traces.values())[0].end == 1


def no_leaks(interpreter, env):
    run = Run(interpreter, "leaks", env=dict(env, OVH_CHUNK="256K")).good()
    extra = run.truths()[-1]["extra"]
    assert extra["before"] == extra["after"], extra
    assert extra["kbytes"] < 8192, extra  # the trace's own mapped pages are among them


def another_evaluator(interpreter, env):
    run = Run(interpreter, "switches", env=env).good()
    truth = run.truths()[-1]
    trace = run.traces[truth["pid"]]
    if trace.values["python.frames"].startswith("walk"):
        return
    assert truth["extra"] == {"kept": True, "ours": True, "restored": True}, truth["extra"]
    assert any("another tool's frame evaluator" in note for note in trace.notes), trace.notes
    check_shots(interpreter, truth, trace, False)
    seen = check_calls(truth, trace)
    assert not seen["unseen"] and not seen["late"], seen


def too_many_functions(interpreter, env):
    run = Run(interpreter, "many", env=dict(env, OVH_CHUNK="1M")).good()
    (trace,) = run.traces.values()
    if trace.values["python.frames"].startswith("walk"):
        return
    made = [s for s in trace.steps.values() if s.class_ == PYTHON]
    assert 65536 <= len(made) <= 65537, len(made)
    lost = sum(n for (why, _), n in trace.losses.items() if why == 4)
    functions = run.truths()[-1]["extra"]["functions"]
    assert lost > (functions - 65536) / 2, (lost, functions)


def the_whole_library(interpreter, env):
    env = dict(env, TRUTH_CUDART=CUDART)
    for program in ("plain", "deep_start", "threads", "unattached"):
        check(interpreter, program, env)


PROPERTIES = [nesting_and_lines, exceptions, generators_and_coroutines, classes, threads, a_deep_start, names_and_reused_addresses,
              a_start_without_the_gil, profilers_beside_us, fork, recursion, interpreter_exit, no_leaks, another_evaluator,
              the_whole_library]
ONCE = [too_many_functions]


def add_tests():
    found = interpreters()
    print("# tested: " + ", ".join("%s %s" % (i.path, i.name) for i in found))
    for wanted in WANTED:
        mine = [i for i in found if i.version[:2] == wanted]
        if not mine:
            def missing(version=wanted):
                tap.skip("no CPython %d.%d found" % version)
            yield "CPython %d.%d" % wanted, missing
        for number, interpreter in enumerate(mine):
            ways = [("", {})] + ([("evaluator ", {"OVH_PYTHON_EVALUATOR": "always"})] if interpreter.walks else [])
            ways += [("walk ", {"OVH_PYTHON_EVALUATOR": "never"})] if not interpreter.walks and number == 0 else []
            for way, env in ways:
                for p in PROPERTIES + (ONCE if wanted == (3, 11) and number == 0 and not way else []):
                    place = "(%s) " % os.path.dirname(interpreter.path) if number else ""
                    title = "%s %s%s: %s" % (interpreter.name, place, way.strip() or "default", p.__name__.replace("_", " "))
                    yield title, lambda p=p, i=interpreter, env=env: p(i, env)


for number, (title, function) in enumerate(add_tests()):
    function.__doc__ = title
    globals()["test_%03d" % number] = function

if __name__ == "__main__":
    only = re.compile(os.environ.get("ONLY", ""))
    for name in [n for n in globals() if n.startswith("test_") and not only.search(globals()[n].__doc__)]:
        del globals()[name]
    tap.main()
