#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden traces: the bytes stay, ovh-report says of them what it said, and a second reader sees the same events."""
import difflib
import filecmp
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOLDEN = os.path.join(ROOT, "tests/golden")
sys.path[:0] = [os.path.join(ROOT, "tests"), GOLDEN, os.path.join(ROOT, "tests/trace")]
import expect
import second_reader
import trace_reader
import xxh32
from tap import main

REPORT = os.environ.get("OVH_TEST_REPORT") or os.path.abspath(os.path.join(ROOT, os.environ.get("OUT", "."), "ovh-report"))


def lines(options, name):
    return expect.said(REPORT, options, name).splitlines()


def test_xxh32_in_python_is_xxh32():
    assert xxh32.plain(b"") == 0x02cc5d05 and xxh32.plain(b"a") == 0x550d7456 and xxh32.plain(b"Nobody inspects the spammish repetition") == 0xe2293b2f


def test_golden_traces_are_what_their_writer_makes():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(GOLDEN, "make.py"), folder], check=True, timeout=60)
        assert len(expect.traces()) >= 20
        differ = [n for n in expect.traces() if not filecmp.cmp(os.path.join(GOLDEN, n), os.path.join(folder, n), shallow=False)]
        assert not differ, differ


def compare(form):
    for name in expect.traces():
        with open(os.path.join(GOLDEN, name[:-4] + "." + form)) as f:
            want = f.read()
        got = expect.said(REPORT, expect.FORMS[form], name)
        assert got == want, name + "\n" + "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), "expected", "now"))


def test_dump_says_what_it_said():
    compare("dump")


def test_verify_says_what_it_said():
    compare("verify")


def test_good_ones_are_whole_and_bad_ones_are_not():
    for name in expect.traces():
        status = int(lines(["--verify"], name)[-1].split()[1])
        unread = re.search(r"empty|not_a_trace|short_head|newer_major|head_damaged|head_impossible", name) and "chunk" not in name
        assert status == (0 if "bad" not in name else 2 if unread else 4), (name, status)


def dumped_spans(name):
    """{thread: [(enter or leave, name, ticks of the ns)]} of --dump."""
    found, thread = {}, None
    for line in lines(["--dump", "--no-definitions"], name):
        m = re.match(r"thread (\d+) ", line)
        if m:
            thread = int(m.group(1))
            found[thread] = []
        m = re.match(r"\s*(-?\d+) (\d+) \d+ +(enter|leave) \d+ (?:\"(.*?)\"|\?)( failed)?", line)
        if m:
            assert int(m.group(2)) == thread
            found[thread].append((m.group(3), m.group(4) or "?", bool(m.group(5))))
    return found


def readable():
    """Traces in whose events the two readers must agree: all but those that are refused, or whose damage each copes with its way."""
    return [n for n in expect.traces() if "bad" not in n] + ["bad/hole.bin", "bad/loss.bin", "bad/chunk_damaged.bin", "bad/chunk_head_damaged.bin",
                                                             "bad/cut_at_stride.bin", "bad/cut_in_chunk.bin", "bad/words_damaged.bin"]


def test_a_second_reader_sees_the_same_spans():
    for name in readable():
        t = second_reader.load(os.path.join(GOLDEN, name))
        mine = {n: [(e[1], e[2], e[1] == "leave" and e[3]) for e in th.events if e[1] in ("enter", "leave")] for n, th in t.threads.items()}
        theirs = dumped_spans(name)
        assert {n: e for n, e in mine.items() if e} == {n: e for n, e in theirs.items() if e}, name
    assert any(len(e) > 20 for e in theirs.values()) or theirs


def test_counted_calls_are_seen_by_all_readers():
    name = os.path.join(GOLDEN, "counted.bin")
    strict, lenient = trace_reader.read(name), second_reader.load(name)
    dumped = [m.groups() for m in (re.match(r" +\d+ 1 (\d+) +CALL (\d+) \"(\w+)\"$", line) for line in lines(["--dump"], "counted.bin")) if m]
    assert dumped == [("0", "7", "cudaGetDevice"), ("1", "7", "cudaGetDevice"), ("1", "8", "cublasSetMathMode"), ("1", "7", "cudaGetDevice"),
                      ("2", "7", "cudaGetDevice"), ("1", "8", "cublasSetMathMode"), ("0", "7", "cudaGetDevice")]
    assert [(e[1], e[2]["step"]) for e in lenient.threads[1].events if e[1] == "CALL"] == [("CALL", int(d[1])) for d in dumped]
    assert trace_reader.calls(strict, 1, "cudaGetDevice") == 5 + 1 and trace_reader.calls(strict, 1, "cublasSetMathMode") == 2
    main_span, timed, launch = trace_reader.spans(strict, 1)[:3]
    assert main_span.counted == {"cudaGetDevice": 2, "cublasSetMathMode": 2} and launch.counted == {"cudaGetDevice": 1} and not timed.counted
    assert "  7 calls were counted, not timed" in lines(["--verify"], "counted.bin")


def test_windows_are_the_processs_and_stand_in_any_chunk():
    found = trace_reader.windows(trace_reader.read(os.path.join(GOLDEN, "ladder.bin")))
    assert [(w.number, w.level) for w in found] == [(1, 2), (2, 0), (3, 1), (4, 0), (5, 2), (6, 0), (7, 3), (7, 0xFFFF)]
    assert [w.begin - 1000000 for w in found] == [0, 1400, 2000, 2600, 3000, 4300, 5000, 6000]
    assert [(w.settle, w.period) for w in found] == [(0, 0)] + [(8, 2)] * 4 + [(4, 0), (8, 2), (0, 0)]
    old = trace_reader.windows(trace_reader.read(os.path.join(GOLDEN, "windows.bin")))
    assert [(w.number, w.level, w.settle, w.period) for w in old] == [(1, 2, 0, 0), (1, 0xFFFF, 0, 0), (2, 1, 0, 0)], "records of format 1.0"
    raw = second_reader.load(os.path.join(GOLDEN, "ladder.bin")).threads[1].events
    assert [e[2]["settle"] for e in raw if e[1] == "WINDOW"] == [0, 8, 8, 8, 8, 4, 8, 0]
    assert "WINDOW level=0 number=2 tick=1001400 reason=3 settle=8 period=2" in " ".join(lines(["--dump"], "ladder.bin"))


def test_a_second_reader_sees_the_same_losses():
    for name, want in (("bad/loss.bin", 18), ("plain.bin", 0)):
        assert second_reader.load(os.path.join(GOLDEN, name)).lost() == want
        assert any("lost: %d events" % want in line for line in lines(["--verify"], name)) == bool(want)


def encode(line, tick):
    """A line of --dump=raw -> the words it was made of; ticks before it."""
    now, what, rest = line.split(" ", 2)
    fields = dict(f.split("=", 1) for f in rest.split())
    delta = int(now) - tick
    if what == "ENTER":
        return struct.pack("<I", 1 | int(fields["id"]) << 2 | delta << 16)
    if what == "ENTER_LONG":
        return struct.pack("<II", 3 | int(fields["id"]) << 2, delta)
    if what == "LEAVE":
        return struct.pack("<I", 2 | int(fields["failed"]) << 2 | delta << 3)
    words = [int(w, 16) for w in fields["words"].split(",") if w]
    return struct.pack("<%dI" % (1 + len(words)), len(words) << 2 | int(fields["type"]) << 8 | int(fields["arg"]) << 16, *words)


def test_raw_dump_can_be_turned_back_into_the_bytes():
    for name in [n for n in expect.traces() if "bad" not in n]:
        with open(os.path.join(GOLDEN, name), "rb") as f:
            data = f.read()
        parts, tick = 0, 0
        out = b""
        for line in lines(["--dump=raw", "--no-definitions"], name)[:-1] + ["part"]:
            if line.startswith("part"):
                assert out in data and (not parts or out), name
                fields = dict(f.split("=") for f in line.split()[1:])
                out, tick, parts = b"", int(fields.get("base_tick", 0)), parts + 1
            elif not line.startswith("thread"):
                out += encode(line, tick)
                tick = int(line.split(" ", 1)[0])
        assert parts > 1


def test_every_form_of_report_copes_with_every_trace():
    for name in expect.traces():
        refused = int(lines(["--verify"], name)[-1].split()[1]) == 2
        allowed = (2,) if refused else (4,) if "bad" in name else (0, 4)
        for form in ([], ["--tree"], ["--timeline"], ["--format", "json"]):
            status = int(lines(form, name)[-1].split()[1])
            assert status in allowed, (name, form, status)


def test_each_complaint_is_one_sentence_with_file_reason_and_advice():
    for name in expect.traces():
        p = subprocess.run([REPORT, "--dump", name], cwd=GOLDEN, capture_output=True, text=True, timeout=60)
        if p.returncode == 2:
            assert p.stdout == "" and re.fullmatch(r"ovh-report: %s: [^\n]+: [^\n]+; [^\n]+\n" % re.escape(name), p.stderr), p.stderr
        else:
            assert p.stderr == "", p.stderr


if __name__ == "__main__":
    main()
