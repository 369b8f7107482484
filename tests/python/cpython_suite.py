#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPython's own test suite with our hooks in place and without: each single test must end the same way.

    cpython_suite.py [--detail N] [--python VERSION] [--library FILE] [TEST ...]

A sitecustomize makes one hooked call at the start of every Python that the suite starts, so that all of it is recorded; without the
library the same sitecustomize calls getpid. A test that differs is run again, twice each way: one that comes out both ways without us as
well is counted as unsteady. One that ends as with us where there is only an evaluator that does nothing but call CPython's own (as any
tool that uses PEP 523, torch.compile among them, brings one) is counted as "evaluator": CPython itself behaves differently then.
Exit status 1 where a test ends differently for another reason."""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
from test_frames import LIBRARY, interpreters

TESTS = """test_sys test_sys_setprofile test_sys_settrace test_frame test_traceback test_gc test_weakref test_threading test_thread
test_threading_local test_fork1 test_wait4 test_profile test_cprofile test_generators test_generator_stop test_yield_from test_coroutines
test_asyncgen test_contextlib test_exceptions test_exception_group test_raise test_with test_monitoring test_subprocess test_recursion
test_call test_extcall test_functools test_descr test_super test_inspect test_code test_dis test_compile test_capi test_embed
test_interpreters test__xxsubinterpreters test_concurrent_futures test_faulthandler test_atexit test_signal test_audit test_pdb test_trace
test_bdb test_dynamic test_opcache test_perf_profiler test_repl test_atexit""".split()
CUSTOMIZE = """
try:
    import ctypes
    import os
    here = ctypes.PyDLL(None)
    getattr(here, "trigger", here.getpid)()
    if os.environ.get("OVH_DETAIL") == "0":
        here.PyInterpreterState_Main.restype = ctypes.c_void_p
        main = ctypes.c_void_p(here.PyInterpreterState_Main())
        here._PyInterpreterState_SetEvalFrameFunc(main, ctypes.cast(here.trigger_other_evaluator, ctypes.c_void_p))
except Exception:
    pass
"""
LIMIT_S = 900
KNOWN = {"test_pass_fds_redirected": "asks which files are open in a child that does nothing itself: the child's trace is one of them",
         "test_vfork_used_when_expected": "skips itself where LD_PRELOAD is set"}


def outcome(case):
    for name in ("error", "failure", "skipped"):
        if case.find(name) is not None or case.get("result") == name:
            return name
    return "passed"


def run(interpreter, test, library, detail, only=()):
    """{single test: how it ended}, and what a whole-run fault looks like ("" where there is none)."""
    folder = tempfile.mkdtemp()
    with open(folder + "/sitecustomize.py", "w") as f:
        f.write(CUSTOMIZE)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OVH_", "PYTHON", "LD_"))}
    environment.update(PYTHONPATH=folder, OVH_OUT=folder + "/trace.bin", OVH_DETAIL=detail, OVH_QUIET="1", OVH_CHUNK="64K",
                       OVH_PYTHON_EVALUATOR="auto", TMPDIR=folder)
    if library:
        environment["LD_PRELOAD"] = library
    if not library:
        del environment["OVH_DETAIL"]
    command = [interpreter.path, "-m", "test", "--junit-xml", folder + "/result.xml", test]
    for name in only:
        command[3:3] = ["-m", name]
    p = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, start_new_session=True)
    try:
        text = p.communicate(timeout=LIMIT_S)[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        text = p.communicate()[0].decode("utf-8", "replace") + "\nran past %d s" % LIMIT_S
    results = {}
    if os.path.exists(folder + "/result.xml"):
        for case in xml.etree.ElementTree.parse(folder + "/result.xml").iter("testcase"):
            results[case.get("name")] = outcome(case)
    recorded = len([name for name in os.listdir(folder) if name.startswith("trace")])
    shutil.rmtree(folder, ignore_errors=True)
    fault = "" if results else text[-1500:]
    if p.returncode < 0 or p.returncode == 124:
        fault = "status %d: %s" % (p.returncode, text[-1500:])
    return results, fault, recorded


def compare(interpreter, test, library, detail):
    """A line of the table; differences that are ours."""
    bare, fault, _ = run(interpreter, test, None, detail)
    if not bare:
        reason = "no such test" if re.search(r"No module named|no such test|not found", fault) else "nothing ran"
        return None, [] if reason == "no such test" else ["%s: %s without us: %s" % (test, reason, fault[-300:])]
    ours, fault, recorded = run(interpreter, test, library, detail)
    differ = sorted(n for n in set(bare) | set(ours) if bare.get(n) != ours.get(n))
    real, unsteady, evaluator = [], 0, 0
    if differ:
        again = [[run(interpreter, test, lib, detail)[0] for _ in range(2)] for lib in (None, library)]
        plain = run(interpreter, test, library, "0")[0]
        for name in differ:
            ends = [{first.get(name)} | {r.get(name) for r in more} for first, more in ((bare, again[0]), (ours, again[1]))]
            known = KNOWN.get(name.split(".")[-1])
            if known:
                print("# %s: %s" % (name, known), flush=True)
            elif ends[0] & ends[1]:
                unsteady += 1
            elif plain.get(name) in ends[1]:
                evaluator += 1
            else:
                real.append("%s: %s without us, %s with" % (name, "/".join(map(str, ends[0])), "/".join(map(str, ends[1]))))
    count = lambda results, how: sum(v == how for v in results.values())
    line = "| %s | %s | %d | %d | %d | %d | %d | %d | %d |" % (
        interpreter.name, test, len(bare), count(bare, "passed"), count(ours, "passed"), len(real), evaluator, unsteady, recorded)
    return line, real


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--detail", default="2")
    options.add_argument("--python", default="")
    options.add_argument("--library", default=LIBRARY)
    options.add_argument("tests", nargs="*")
    options = options.parse_args()
    wrong = 0
    print("| CPython | test | cases | passed without | passed with | differ | evaluator | unsteady | processes recorded |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for interpreter in interpreters():
        if not interpreter.name.startswith(options.python):
            continue
        if subprocess.run([interpreter.path, "-c", "import test.test_sys"], stderr=subprocess.DEVNULL).returncode:
            print("# CPython %s (%s) came without its test suite" % (interpreter.name, interpreter.path), flush=True)
            continue
        for test in options.tests or dict.fromkeys(TESTS):
            line, real = compare(interpreter, test, os.path.abspath(options.library), options.detail)
            print(line or "# %s: %s is not there" % (interpreter.name, test), flush=True)
            for difference in real:
                print("#   %s" % difference.replace("\n", "\n#     "), flush=True)
            wrong += len(real)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
