#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges and marks: what a program sets is in the trace, in order, with its domain and name; nobody else's tool is replaced."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import trace_reader
from tap import main, skip

BUILD = os.path.abspath(os.environ.get("BUILD", "build/x86_64"))
OUT = os.path.abspath(os.environ.get("OUT", "."))
LIBRARY = os.path.join(OUT, "libovh.so")
PROGRAM = os.path.join(BUILD, "tests/nvtx/ranges")
PUSH, POP, START, END, MARK = 1, 2, 3, 4, 5
KINDS = {PUSH: "push", POP: "pop", START: "start", END: "end", MARK: "mark"}


def environment(**settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OVH_", "NVTX_")) and k not in ("RANK", "WORLD_SIZE", "LD_PRELOAD")}
    return {**clean, **{k: v for k, v in settings.items() if v is not None}}


def run(*words, program=PROGRAM, expect=0, **settings):
    """(stdout's lines, {pid: trace})"""
    with tempfile.TemporaryDirectory(prefix="ovh-nvtx-") as folder:
        p = subprocess.run([program, *map(str, words)], cwd=folder, env=environment(LD_PRELOAD=LIBRARY, **settings), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        assert (p.returncode, p.stderr) == (expect, b""), p
        traces = [trace_reader.read(os.path.join(folder, name)) for name in os.listdir(folder)]
        return p.stdout.decode().splitlines(), {t.head["pid"]: t for t in traces}


def ranges(trace):
    """(kind, "DOMAIN/NAME", number, thread, tick) of every RANGE record, in order of time. A pop's name is that of what it closes."""
    found, open_ = [], collections.defaultdict(list)
    events = sorted((e.tick, number, e) for number, all_ in trace.events.items() for e in all_ if e.what == "RANGE")
    for tick, thread, e in events:
        domain, name = trace.ranges.get(e.words[0], ("", ""))
        if e.arg == PUSH:
            open_[thread, domain].append(name)
        if e.arg == POP:
            name = open_[thread, domain].pop() if open_[thread, domain] else None
        found.append((KINDS[e.arg], "%s/%s" % (domain, name), e.words[1] if len(e.words) > 1 else 0, thread, tick))
    return found


def check_everything(program):
    lines, traces = run("everything", program=program)
    (trace,) = traces.values()
    assert lines[-1] == "answer -2", "a tool changed what push answers: %s" % lines[-1]
    truth = lines[lines.index("clear") + 1:-1]
    got = ranges(trace)
    assert ["%s %s" % r[:2] for r in got[:-2]] == truth, got
    (start,), (end,) = ([r for r in got if r[0] == kind] for kind in ("start", "end"))
    assert start[2] == end[2] > 0 and start[3] != end[3], "another thread ends it"
    assert all(r[2] == 0 for r in got if r[0] in ("push", "pop", "mark"))
    assert not trace.losses and trace.end == 1
    colours = len({id_ for id_, (domain, name) in trace.ranges.items() if name == "built 0"})
    assert colours == 1, "one definition for one name"


def test_every_kind_of_range():
    check_everything(PROGRAM)


def test_every_kind_of_range_with_the_real_headers():
    if not os.path.exists(PROGRAM + "-real"):
        skip("no nvtx3 headers here")
    check_everything(PROGRAM + "-real")


def test_each_range_happens_at_its_own_time():
    _, traces = run("steps", 50)
    (trace,) = traces.values()
    events = trace.events[1]
    at = [i for i, e in enumerate(events) if e.what == "RANGE"]
    assert len(at) == 200 and all(events[i - 1].what == "TIME" for i in at)
    ticks = [events[i].tick for i in at]
    assert ticks == sorted(ticks) and len(set(ticks)) == 200
    assert sum(e.what == "ENTER" and trace.steps[e.arg].name == "cudaGetDevice" for e in events) + sum(e.what == "CALL" for e in events) == 151


def test_at_every_level_of_detail():
    for detail in ("0", "1"):
        _, traces = run("steps", 20, OVH_DETAIL=detail)
        if detail == "0":  # no blocking call and no launch in this program: the trace is opened by the first hooked call all the same
            assert sum(len(ranges(t)) for t in traces.values()) == 80
        else:
            assert [r[0] for t in traces.values() for r in ranges(t)].count("push") == 40


def test_no_cuda_call_no_file():
    assert run("no-cuda") == (["push /alone", "pop /alone"], {})


def test_a_child_of_fork():
    lines, traces = run("child")
    assert len(traces) == 2
    mine, its = sorted(traces.values(), key=lambda t: "parent.pid" in t.values)
    assert [r[:2] for r in ranges(mine)] == [("push", "/parent"), ("pop", "/parent")]
    assert [r[:2] for r in ranges(its)] == [("push", "/child"), ("push", "/parent"), ("pop", "/parent"), ("pop", "/child")]


def test_more_names_than_are_kept():
    _, traces = run("many-names", 66000, OVH_CHUNK="1M")
    (trace,) = traces.values()
    names = collections.Counter(trace.ranges[e.words[0]][1] for e in trace.events[1] if e.what == "RANGE" and e.arg == PUSH)
    assert len(names) == 65537 and names["(any of too many names)"] == 66000 - 65536
    assert sum(trace.losses.values()) >= 256


def test_another_tool_stays_in_place():
    shown = subprocess.run(["env"], env=environment(LD_PRELOAD=LIBRARY, NVTX_INJECTION64_PATH="/a/tool.so"), stdout=subprocess.PIPE, text=True).stdout
    assert "NVTX_INJECTION64_PATH=/a/tool.so\n" in shown
    off = subprocess.run(["env"], env=environment(LD_PRELOAD=LIBRARY, OVH_NVTX="off"), stdout=subprocess.PIPE, text=True).stdout
    assert "NVTX_INJECTION64_PATH" not in off
    _, traces = run("steps", 3, OVH_NVTX="off")
    assert [ranges(t) for t in traces.values()] == [[]]


def test_programs_with_an_environment_of_their_own_are_unharmed():
    for shell in ("/bin/bash", "/bin/sh"):
        p = subprocess.run([shell, "-c", "export X=1; env | grep -c '^NVTX_INJECTION64_PATH='; unset NVTX_INJECTION64_PATH; echo $X ${NVTX_INJECTION64_PATH-none}"],
                           env=environment(LD_PRELOAD=LIBRARY), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert (p.returncode, p.stdout) == (0, "1\n1 none\n"), p


def step_units(*words, **settings):
    lines, traces = run("steps", 20, *words, OVH_DETAIL="2", OVH_TIME_QUERIES="1", **settings)
    return list(traces.values())


def test_only_the_ranges_asked_for_are_recorded():
    for keeper in ("on", "off"):
        (trace,) = step_units(OVH_UNIT="nvtx:step", OVH_STEPS="5:7", OVH_KEEPER=keeper)
        assert [r[:2] for r in ranges(trace)] == [("push", "/step"), ("push", "/inner"), ("pop", "/inner"), ("pop", "/step")] * 3
        calls = sum(e.what == "ENTER" for e in trace.events[1])
        assert calls == 3 * 2 + 2 and trace.end == 2 and not trace.losses
        inside = [e.what for e in trace.events[1]]
        assert inside[-2:] == ["RANGE", "WINDOW"] and trace.events[1][-1].arg == 0xffff


def test_one_range_and_open_ended():
    (trace,) = step_units(OVH_UNIT="nvtx:in*", OVH_STEPS="20:20")
    assert [r[:2] for r in ranges(trace)] == [("push", "/inner"), ("pop", "/inner")] and trace.end == 2
    (trace,) = step_units(OVH_UNIT="nvtx:step", OVH_STEPS="19:")
    assert [r[0] for r in ranges(trace)].count("push") == 4 and trace.end == 1


def test_ranges_that_never_come_are_missed_in_one_line():
    for unit, why in (("nvtx:step", "of nvtx:step only 20 came, and recording was to begin with number 21"), ("step", "there is no Python here"),
                      (None, "OVH_UNIT does not say what a unit is")):
        with tempfile.TemporaryDirectory() as folder:
            p = subprocess.run([PROGRAM, "steps", "20"], cwd=folder, env=environment(LD_PRELOAD=LIBRARY, OVH_STEPS="21:30", OVH_UNIT=unit),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert p.returncode == 0 and p.stderr.count("\n") == 1 and why in p.stderr and os.listdir(folder) == [], p
    traces = step_units(OVH_UNIT="nvtx:step", OVH_STEPS="nonsense")
    assert len(ranges(traces[0])) == 80


def record_torch(python, folder, *options):
    p = subprocess.run([os.path.join(OUT, "ovh-record"), "--quiet", "--sim", "-o", folder + "/trace.bin", *options, "--", python, HERE + "/torch_steps.py", "5"],
                       env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    assert p.returncode == 0, p
    return trace_reader.read(folder + "/trace.bin", check=False)


def test_steps_of_torch():
    python = os.environ.get("OVH_TEST_TORCH")
    if not python:
        skip("no PyTorch here")
    with tempfile.TemporaryDirectory() as folder:
        got = [r[:2] for r in ranges(record_torch(python, folder, "--unit", "nvtx:step", "--steps", "2:3"))]
        assert got.count(("push", "/step")) == got.count(("pop", "/step")) == 2 and ("push", "/number 1") in got and ("push", "/number 3") not in got
        trace = record_torch(python, folder, "--unit", "Linear.forward", "--steps", "2:4")
        launches = [e for events in trace.events.values() for e in events if e.what == "LAUNCH" and e.words[0]]
        assert launches and all(trace.kernels.get(e.words[0]) for e in launches), "names were told before recording began"
        spans = [s for number in trace.events for s in trace_reader.spans(trace, number) if s.step.name == "Linear.forward"]
        assert len(spans) == 3 and all(s.end is not None and not s.begun_earlier for s in spans) and trace.end == 2
        p = subprocess.run([os.path.join(OUT, "ovh-report"), "--format", "json", folder + "/trace.bin"], stdout=subprocess.PIPE)
        unit = json.loads(p.stdout)["reports"][0]["unit"]
        assert p.returncode == 0 and unit["name"] == "Linear.forward" and unit["statistics"]["n"] == 3, unit


def check_torch(python):
    if not python:
        skip("no such PyTorch here")
    with tempfile.TemporaryDirectory() as folder:
        trace = record_torch(python, folder)
    got = [r[:2] for r in ranges(trace)]
    truth = []
    for i in range(5):
        truth += [("push", "/step"), ("push", "/forward"), ("pop", "/forward"), ("push", "/number %d" % i), ("pop", "/number %d" % i), ("pop", "/step")]
    assert got == truth + [("mark", "/done")], got


def test_torch():
    check_torch(os.environ.get("OVH_TEST_TORCH"))


def test_an_older_torch():
    check_torch(os.environ.get("OVH_TEST_TORCH_OLD"))


if __name__ == "__main__":
    main()
