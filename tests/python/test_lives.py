#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a CPython's life is not that of one process with one interpreter: other interpreters, embedding, children of every kind, deep and
small stacks. On one CPython of each version; the programs tell the truth, the traces must say the same."""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import tap
import trace_reader
from test_frames import LIBRARY, PROGRAMS, Run, TRIGGERS, check, check_calls, check_shots, interpreters

EMBED = os.path.abspath(os.path.join(os.environ.get("BUILD", "build/x86_64"), "tests/python/embed"))


def walked(trace):
    return trace.values["python.frames"].startswith("walk")


def check_processes(interpreter, run, processes):
    truths = run.truths()
    assert len(truths) == processes and len({t["pid"] for t in truths}) == processes, len(truths)
    for truth in truths:
        assert truth["pid"] in run.traces, "no trace of process %d: %s" % (truth["pid"], run.out[-1000:])
        trace = run.traces[truth["pid"]]
        assert not trace.losses, trace.losses
        assert check_shots(interpreter, truth, trace, walked(trace)) > 1
        walked(trace) or check_calls(truth, trace)


def async_generators(interpreter):
    check(interpreter, "asynchronous")


def fork_with_threads(interpreter):
    check_processes(interpreter, Run(interpreter, "fork_threads").good(), 7)


def multiprocessing_children(interpreter):
    for method in ("fork", "spawn", "forkserver"):
        try:
            check_processes(interpreter, Run(interpreter, "children", method).good(), 3)
        except AssertionError as e:
            raise AssertionError("%s: %s" % (method, e)) from e


def other_interpreters(interpreter):
    run = Run(interpreter, "interpreters").good()
    truth = run.truths()[-1]
    trace = run.traces[truth["pid"]]
    calls = sum(e.what == "ENTER" and trace.steps[e.arg].name in TRIGGERS for events in trace.events.values() for e in events)
    assert calls == sum(map(len, truth["shots"].values())) + truth["extra"]["hooked"], calls
    if not walked(trace):
        seen = check_calls(truth, trace)
        assert not [name for name in seen if name.startswith("other_")], seen


def deep_recursion(interpreter):
    depth = 60000 if interpreter.version >= (3, 11) else 15000
    for program, arguments in (("recursion", (depth,)), ("small_stacks", (depth if depth == 60000 else 2000, 1 << 20))):
        bare, ours = (Run(interpreter, program, *arguments, preload=on) for on in (False, True))
        assert bare.status == 0, (bare.status, bare.err[-500:])
        assert (bare.status, bare.err, bare.out) == (ours.status, ours.err, ours.out), (bare.out, ours.status, ours.out, ours.err)


def library_of(interpreter):
    ask = "import sys, sysconfig; print(sys.base_prefix, sysconfig.get_config_var('INSTSONAME'))"
    prefix, name = subprocess.run([interpreter.path, "-c", ask], stdout=subprocess.PIPE).stdout.decode().split()
    found = glob.glob(os.path.join(prefix, "lib", name)) + glob.glob(os.path.join(prefix, "lib", "*-linux-gnu*", name))
    return prefix, found[0] if name.endswith(".so.1.0") and found else None


def embedded(interpreter, library, prefix, folder, **more):
    environment = dict(os.environ, PYTHONHOME=prefix, PYTHONPATH=PROGRAMS, PYTHONDONTWRITEBYTECODE="1", OVH_OUT=folder + "/trace.bin",
                       OVH_TIME_QUERIES="1", **more)
    command = [EMBED, library, PROGRAMS + "/embedded.py", "3"]
    loader = glob.glob(os.path.join(os.path.dirname(library), "ld-linux*.so.*"))
    if loader:  # a library of another system's, with that system's libraries
        command = [loader[0], "--library-path", os.path.dirname(library)] + command
    p = subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=60)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def lives_of_an_embedded_interpreter(interpreter):
    """An interpreter that a program embeds, ended and begun again: each life is recorded"""
    prefix, library = library_of(interpreter)
    if not library:
        return
    for detail in "2", "3":
        with tempfile.TemporaryDirectory() as folder:
            status, out, err = embedded(interpreter, library, prefix, folder)
            if status != 0:
                return  # 3.12.1 cannot load ctypes again without us either
            status, out, err = embedded(interpreter, library, prefix, folder, LD_PRELOAD=LIBRARY, OVH_DETAIL=detail)
            assert status == 0 and out.endswith("ended\n") and not err, (status, out[-500:], err[-2000:])
            trace = trace_reader.read(folder + "/trace.bin")
        truths = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        assert len(truths) == 3 and not trace.losses, (len(truths), trace.losses)
        together = {"calls": collections.Counter(), "shots": collections.defaultdict(list)}
        for truth in truths:
            together["calls"].update(truth["calls"])
            for tid, shots in truth["shots"].items():
                together["shots"][tid] += shots
            together["shots"][str(truth["pid"])].append(None)  # atexit's
        walked(trace) or check_calls(together, trace)
        assert check_shots(interpreter, together, trace, walked(trace)) > 300


PROPERTIES = [async_generators, fork_with_threads, multiprocessing_children, other_interpreters, deep_recursion, lives_of_an_embedded_interpreter]


def on_each(property_):
    def test():
        found = list({i.version[:2]: i for i in interpreters()}.values())
        if not found:
            tap.skip("no CPython")
        wrong = []
        for interpreter in found:
            try:
                property_(interpreter)
            except Exception as e:  # all of them are looked at
                wrong.append("CPython %s (%s): %s: %s" % (interpreter.name, interpreter.path, type(e).__name__, e))
        assert not wrong, "\n".join(wrong)
    test.__doc__ = property_.__doc__ or property_.__name__.replace("_", " ")
    return test


only = os.environ.get("ONLY", "")
for property_ in PROPERTIES:
    if only in property_.__name__:
        globals()["test_" + property_.__name__] = on_each(property_)

if __name__ == "__main__":
    tap.main()
