#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the golden traces, from docs/trace-format.md alone: good ones here, bad ones in bad/. The files are kept for ever: when the
format grows, files are added, old ones stay byte for byte (tests/trace/test_golden.py compares them with what this program makes).

    tests/golden/make.py [FOLDER]        writes all into FOLDER (default: where this program is)
    make golden                          the same, then the expected output of ovh-report beside each
"""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from xxh32 import xxh32

STRIDE = 4096
START = 1000000          # first tick
HZ = 2000000000          # two ticks are one ns
MONOTONIC = 50000000000  # ns at START
REALTIME = 1700000000000000000


def text(s):
    return s.encode() + b"\0"


def enter(id, ticks):
    return struct.pack("<I", 1 | id << 2 | ticks << 16) if id < 1 << 14 and ticks < 1 << 16 else struct.pack("<II", 3 | id << 2, ticks)


def leave(ticks, failed=False):
    return struct.pack("<I", 2 | failed << 2 | ticks << 3)


def record(type, arg=0, codes="", *values):
    body = struct.pack("<" + codes, *values)
    assert len(body) % 4 == 0 and len(body) // 4 < 64
    return struct.pack("<I", len(body) // 4 << 2 | type << 8 | arg << 16) + body


def time(tick):
    return record(1, 0, "Q", tick)


def snapshot(ids=(), cut=False):
    out, first, ids = b"", True, list(ids)
    while first or ids:
        now, ids = ids[:63], ids[63:]
        out += record(2, first | bool(ids) << 1 | cut << 2, "%dI" % len(now), *now)
        first = False
    return out


def thread_now(number, tick, ids=()):
    return record(24, 0, "I", number) + time(tick) + snapshot(ids)


def definition(type, body, arg=0):
    head = struct.pack("<IHH", 16 + len(body), type, arg)
    out = head + struct.pack("<II", xxh32(head + body), 0) + body
    return out + b"\0" * (-len(out) % 8)


def value(key, what):
    return definition(1, text(key) + text(what))


def step(id, class_, kind, name, file, line=0, object=0):
    return definition(3, struct.pack("<IHHII", id, class_, kind, line, object) + text(name) + text(file))


def thread(number, tid, tick, name, ended=False):
    return definition(4, struct.pack("<IIQ", number, tid, tick) + text(name), int(ended))


def end(tick, reason=1, strides=0):
    return definition(255, struct.pack("<QII", tick, reason, strides))


def anchor(tick, ns, width=100):
    return definition(2, struct.pack("<QQQQ", tick, MONOTONIC + ns, REALTIME + ns, width))


STEPS = (step(1, 7, 1, "cudaLaunchKernel", "libcudart.so.12") + step(2, 7, 2, "cudaMalloc", "libcudart.so.12") +
         step(3, 9, 9, "cudaDeviceSynchronize", "libcudart.so.12") + step(4, 8, 1, "cuLaunchKernel", "libcuda.so.1") +
         step(5, 1, 0, "Linear.forward", "/site/torch/nn/modules/linear.py", 124) + step(6, 1, 0, "main", "/home/user/bench.py", 1))


class File:
    """Chunks in the order in which they are added; the first is stride 0."""

    def __init__(self, **head):
        self.head, self.strides = head, []

    def room(self):
        return STRIDE - 64 - (0 if self.strides else 256)

    def chunk(self, kind, payload, thread=0, sequence=0, base=0, generation=0, sealed=True, index=None, magic=0x4b48564f):
        index = len(self.strides) if index is None else index
        head = struct.pack("<IHHIIQQQ", magic, kind, 0, index, thread, sequence, base, generation)
        used, check = (len(payload), xxh32(payload)) if sealed else (0, 0)
        room = self.room()
        assert len(payload) <= room, len(payload)
        self.strides.append(head + struct.pack("<IIIIII", used, check, xxh32(head), 0, 0, 0) + payload + b"\0" * (room - len(payload)))

    def definitions(self, payload, **how):
        self.chunk(2, payload, **how)

    def events(self, thread, payload, sequence=0, base=START, **how):
        self.chunk(1, payload, thread, sequence, base, **how)

    def unused(self):
        self.strides.append(b"\0" * (self.room() + 64))

    def bytes(self):
        h = dict(major=1, minor=0, head_bytes=256, chunk_bytes=STRIDE, flags=0, arch=1, clock=1, pid=4242, tick_hz=HZ, start_tick=START,
                 start_monotonic=MONOTONIC, start_realtime=REALTIME, process_start=777)
        h.update(self.head)
        head = b"OVHTRACE" + struct.pack("<HHIIIHHIQQQQQ", *h.values()) + b"\0" * 180
        return head + struct.pack("<I", xxh32(head)) + b"".join(self.strides)


def call(id, inside=b"", before=10, took=100, failed=False):
    return enter(id, before) + inside + leave(took, failed)


LAUNCH = record(9, 0, "IQQIIIIIII", 1, 0xabc0, 0, 8, 4, 1, 256, 1, 1, 1024)


def forward():
    """Linear.forward: a launch through runtime and driver, 620 ticks with what comes before."""
    return call(5, record(3, 17) + call(1, LAUNCH + call(4)), took=300)


def plain():
    """One thread, two levels of Python, launches; ended in good order, everything sealed."""
    f = File()
    f.definitions(value("python", "3.12.3") + value("command", "python bench.py --backend torch") + STEPS + thread(1, 4242, START, "python") +
                  definition(6, struct.pack("<I", 1) + text("_Z4gemmv")) +
                  definition(7, struct.pack("<IIII", 5, 3, 124, 7) + bytes((0x80 | 10 << 3 | 0, 0x80 | 11 << 3 | 7, 0xdd, 0x08, 0xdd, 0x09, 0xdf))) +
                  definition(18, text("OVH_OUT") + text("trace.bin")) + end(START + 20000, 1, 3))
    f.events(1, snapshot() + enter(6, 100) + b"".join(forward() for _ in range(3)) + call(3, took=5000) + leave(200))
    f.unused()
    return f.bytes()


def records():
    """Every type of record and of definition."""
    f = File(flags=1)
    f.definitions(
        STEPS + value("ovh", "0.1.0") + value("odd", 'a "quoted" \\ tab\t end') + anchor(START, 0) + thread(1, 4242, START, "python") +
        thread(1, 4242, START + 90000, "python", True) + definition(5, struct.pack("<IIQQ", 1, 20, 0x7f0000000000, 0x1000) + bytes(range(20)) +
        b"\0" * 4 + text("/usr/lib/libcudart.so.12")) + definition(6, struct.pack("<I", 1) + text("_Z4gemmv")) +
        definition(7, struct.pack("<IIII", 6, 1, 1, 6) + bytes((0, 1, 8, 2, 4, 255))) + definition(8, struct.pack("<IIIIII", 1, 2, 6, 3, 5, 17)) +
        definition(9, struct.pack("<IIQQQ", 1, 1000, 17200, 16900, 21000)) + definition(10, struct.pack("<IIQQ", 1, 2, 90, 10) + text("resolved before")) +
        definition(12, struct.pack("<II", 1, 0) + text("model") + text("Net")) + definition(12, struct.pack("<II", 2, 1) + text("fc") + text("Linear")) +
        definition(13, struct.pack("<II", 1, 0xff00ff00) + text("default") + text("step 1")) + definition(14, text("walk only: unknown Python")) +
        definition(15, struct.pack("<I", 1) + text("cuLaunchKernel")) + definition(16, struct.pack("<IIQQ", 1, 0, 5000, START)) +
        definition(17, struct.pack("<II", 1, 2) + text("cycles") + text("instructions")) + definition(18, text("OVH_START") + text("now")) +
        end(START + 90000, 1, 2))
    f.events(1, record(7, 2, "IQI", 1, START, 1) + snapshot() + record(4, 0, "I", 1) + enter(6, 10) + record(21, 0, "I", 2) + record(3, 4) +
             record(3, 0xffff, "I", 70000) + record(14, 1, "I", 1) + call(1, LAUNCH + record(6, 0, "I", 719), failed=True) +
             call(2, record(10, 1, "QQQ", 1 << 33, 0x7000, 0x99)) + call(2, record(11, 0x101, "QQ", 4096, 7)) + call(3, record(12, 13, "QQ", 0x55, 0x66)) +
             call(4, record(13, 1, "QQQII", 8192, 2048, 2048, 1, 0x440e0e0e)) + record(14, 2, "I", 0) + record(15, 1, "IQ", 2, 0xfeed) +
             record(15, 2, "IQ", 0, 0xbeef) + record(16, 2, "Q", START + 900) + record(16, 2 | 1 << 15, "Q", START + 990) +
             record(17, 1, "QII", 333, 1, 2) + record(18, 1, "IQQQI", 1, 5100, 5200, 1, 1) + record(19, 1, "QQ", 1000, 1 << 40) +
             record(20, 2, "IQIQ", 1, 0x10, 1, 0x20) + record(22, 0, "f", 12.5) + call(2, record(23, 0, "I", 1)) + leave(100) +
             record(7, 0xffff, "IQI", 1, START + 5000, 2))
    return f.bytes()


def killed():
    """No end: open chunk, three spans open; definitions in an open chunk."""
    f = File()
    f.definitions(STEPS + thread(1, 4242, START, "python"), sealed=False)
    f.events(1, snapshot() + enter(6, 100) + forward() + enter(5, 50) + enter(1, 20) + LAUNCH, sealed=False)
    f.unused()
    return f.bytes()


def threads():
    """Chunks in sequence with their snapshots, a hand-over to two later threads, a thread with chunks of its own behind it."""
    f = File()
    f.definitions(STEPS + thread(1, 4242, START, "python") + thread(2, 4250, START + 500, "worker") + thread(3, 4251, START + 9000, "") +
                  thread(2, 4250, START + 8000, "worker", True) + end(START + 50000, 1, 6))
    f.events(1, snapshot() + enter(6, 100) + forward() + enter(5, 10))
    f.events(2, snapshot() + forward() + thread_now(3, START + 9000) + enter(6, 5) + forward() + thread_now(4, START + 12000) + call(2),
             base=START + 500)
    f.events(1, snapshot((6, 5)) + leave(40) + forward() + leave(10), sequence=1, base=START + 730)
    f.events(3, snapshot((6,)) + forward() + leave(70), sequence=1, base=START + 9625)
    f.events(5, snapshot() + call(2), base=START + 20000)
    return f.bytes()


def windows():
    """Windows: open frames at arming, stop, start again; unwound spans; long forms; a clock that steps back; a leave too many."""
    f = File()
    f.definitions(STEPS + step(20000, 1, 0, "far", "/home/user/far.py", 9) + thread(1, 4242, START, "python") + end(START + 9000000, 2, 3))
    f.events(1, snapshot() + record(7, 2, "IQI", 1, START + 50, 1) + time(START + 50) + snapshot((6, 5)) + call(1, LAUNCH) + leave(30) +
             enter(5, 70000) + call(20000, took=9) + enter(1, 5) + enter(4, 5) + record(5, 2) + leave(60) + time(START + 60000) +
             record(7, 0xffff, "IQI", 1, START + 61000, 2) + leave(10) + record(7, 1, "IQI", 2, START + 8000000, 2) + time(START + 8000000) +
             snapshot((6,)) + call(2) + leave(5) + leave(7) + snapshot((5, 1), cut=True) + leave(5) + leave(5) + snapshot([5] * 70) +
             b"".join(leave(1) for _ in range(70)))
    f.unused()
    return f.bytes()


def ring():
    """Flight recorder: the older chunks were overwritten, which is no loss."""
    f = File(flags=2)
    f.definitions(STEPS + thread(1, 4242, START, "python") + end(START + 99999, 1, 3))
    f.events(1, snapshot((6,)) + forward() + leave(10), sequence=8, base=START + 30000, generation=4)
    f.events(1, snapshot((6,)) + forward(), sequence=7, base=START + 20000, generation=3)
    return f.bytes()


def newer_minor():
    """Format 1.9: unknown records, definitions and values, longer bodies: skipped, not refused."""
    f = File(minor=9)
    f.definitions(STEPS + definition(77, b"whatever it is") + definition(78, b"") + definition(14, text("note") + b"and more") + thread(1, 4242, START, "python") +
                  definition(13, struct.pack("<II", 1, 0) + text("d") + text("n") + b"\1\2\3") + end(START + 2000, 9, 2))
    f.events(1, snapshot() + record(200, 7, "III", 1, 2, 3) + call(1, LAUNCH[:2] + bytes((9, 0)) + LAUNCH[4:]) + call(2, record(6, 0, "II", 2, 3)) +
             record(99) + call(2))
    return f.bytes()


def aarch64():
    """From another machine: 1 GHz counter, which really runs 100 ppm slow and later 50 ppm fast."""
    f = File(arch=2, tick_hz=1000000000)
    f.definitions(STEPS + thread(1, 4242, START, "python") + anchor(START + 10000000, 10001000) + anchor(START + 10000100, 10009999) +
                  anchor(START + 20000000, 20000500) + end(START + 40000000, 1, 2))
    f.events(1, snapshot() + enter(6, 0) + time(START + 5000000) + call(1, LAUNCH, before=0, took=0) + time(START + 15000000) + call(1, LAUNCH, 0, 0) +
             time(START + 30000000) + leave(0))
    return f.bytes()


# ---- bad ones ----

def flipped(data, at, mask=1):
    return data[:at] + bytes((data[at] ^ mask,)) + data[at + 1:]


def hole():
    """A chunk in the middle of a thread is gone."""
    f = File()
    f.definitions(STEPS + thread(1, 4242, START, "python") + end(START + 9000, 1, 4))
    f.events(1, snapshot() + enter(6, 100) + forward() + enter(5, 10))
    f.events(1, snapshot((6, 1)) + LAUNCH + leave(10) + forward() + leave(10), sequence=2, base=START + 7000)
    f.unused()
    return f.bytes()


def loss():
    """The recorder says what it lost."""
    f = File()
    f.definitions(STEPS + definition(11, struct.pack("<IIQ", 1, 0, 5) + text("file")) + definition(11, struct.pack("<IIQ", 1, 0, 9) + text("file")) +
                  definition(11, struct.pack("<IIQ", 6, 0, 2) + text("threads")) + thread(1, 4242, START, "python") + end(START + 9000, 1, 2))
    f.events(1, snapshot() + forward() + record(8, 2, "Q", 3) + forward() + record(8, 2, "Q", 4))
    return f.bytes()


def words_damaged():
    """A record that reaches past the end of its chunk; a word that means nothing; a short record; steps without definition."""
    f = File()
    f.definitions(step(6, 1, 0, "main", "/home/user/bench.py", 1) + thread(1, 4242, START, "python") + end(START + 9000, 1, 4))
    f.events(1, snapshot() + call(6) + record(6) + call(9) + struct.pack("<I", 60 << 2 | 9 << 8))
    f.events(2, snapshot() + call(6) + struct.pack("<I", 0x40000) + call(6))
    f.events(3, snapshot() + call(0) + b"\0\0\0\0" + call(6))
    return f.bytes()


def duplicate():
    """Two chunks claim the same place."""
    f = File()
    f.definitions(STEPS + thread(1, 4242, START, "python") + end(START + 9000, 1, 3))
    f.events(1, snapshot() + forward())
    f.events(1, snapshot() + forward() + forward())
    return f.bytes()


def unknown_kind():
    """A chunk of a kind that comes later."""
    f = File()
    f.definitions(STEPS + end(START, 1, 2))
    f.chunk(7, b"something")
    return f.bytes()


def definitions_damaged():
    """A record with a wrong check, a body that is too short, a length that makes no sense."""
    f = File()
    bad = bytearray(step(1, 7, 1, "cudaLaunchKernel", "libcudart.so.12"))
    bad[36] ^= 1
    f.definitions(bytes(bad) + definition(3, b"\1\0\0\0") + STEPS + thread(1, 4242, START, "python") + struct.pack("<IHHII", 1 << 30, 3, 0, 0, 0) +
                  end(START, 1, 2))
    f.events(1, snapshot() + forward())
    return f.bytes()


def counted():
    """Calls that were counted and not timed: in a span, behind an AT, outside every span, one of them timed."""
    f = File()
    f.definitions(STEPS + step(7, 7, 15, "cudaGetDevice", "libcudart.so.12") + step(8, 3, 19, "cublasSetMathMode", "libcublas.so.12") +
                  thread(1, 4242, START, "python") + definition(18, text("OVH_TIME_QUERIES") + text("16")) +
                  definition(9, struct.pack("<IIQQQ", 5, 1000, 20000, 19000, 30000)) + end(START + 9000, 1, 2))
    f.events(1, snapshot() + record(25, 7) + enter(6, 100) + record(3, 17) + record(25, 7) + record(25, 8) + call(7, took=140) + record(25, 7) +
             call(1, record(25, 7) + LAUNCH + call(4)) + record(25, 8) + leave(200) + record(25, 7))
    return f.bytes()


def window(number, tick, level, settle=8, period=2, reason=3):
    return record(7, level, "IQIII", number, tick, reason, settle, period)


def ladder():
    """Format 1.1: levels that take turns. A launch is open across one switch, frames across all; chunks repeat the open window; a second
    thread writes no window of its own; one window stands only at the beginning of a later chunk."""
    f = File(minor=1)
    f.definitions(STEPS + thread(1, 4242, START, "python") + thread(2, 4250, START, "pt_autograd_0") + definition(18, text("OVH_DETAIL") + text("auto")) +
                  end(START + 20000, 1, 5))
    launch = call(1, LAUNCH + call(4))
    f.events(1, snapshot() + window(1, START, 2, 0, 0, 1) + enter(6, 100) + forward() * 2 + enter(5, 20) + enter(1, 10) + LAUNCH + window(2, START + 1400, 0) +
             leave(130) + call(4) * 3 + window(3, START + 2000, 1) + call(2) + launch + window(4, START + 2600, 0) + call(4) + time(START + 3000) +
             window(5, START + 3000, 2) + snapshot((6, 5)) + launch + leave(30) + forward())
    f.events(1, snapshot((6,)) + window(6, START + 4300, 0, 4, 0) + call(4) * 2 + time(START + 5000) + window(7, START + 5000, 3) + snapshot((6,)) + forward() +
             leave(10) + window(7, START + 6000, 0xffff, 0, 0, 2), sequence=1, base=START + 4310)
    f.events(2, snapshot() + window(1, START, 2, 0, 0, 1) + launch + time(START + 2100) + launch, base=START + 700)
    f.unused()
    return f.bytes()


GOOD = dict(plain=plain, records=records, killed=killed, threads=threads, windows=windows, ring=ring, newer_minor=newer_minor, aarch64=aarch64,
            counted=counted, ladder=ladder)
BAD = dict(hole=hole, loss=loss, words_damaged=words_damaged, duplicate=duplicate, unknown_kind=unknown_kind, definitions_damaged=definitions_damaged,
           empty=lambda: b"", not_a_trace=lambda: b"#!/bin/sh\necho hello\n", short_head=lambda: plain()[:100],
           newer_major=lambda: File(major=2).bytes() + b"\0" * 3840, head_damaged=lambda: flipped(plain(), 30),
           head_impossible=lambda: File(chunk_bytes=4000).bytes() + b"\0" * 3840, chunk_damaged=lambda: flipped(plain(), STRIDE + 80),
           chunk_head_damaged=lambda: flipped(threads(), STRIDE + 12), cut_in_chunk=lambda: threads()[:2 * STRIDE + 100],
           cut_at_stride=lambda: threads()[:4 * STRIDE])


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    os.makedirs(os.path.join(folder, "bad"), exist_ok=True)
    for names, below in ((GOOD, ""), (BAD, "bad")):
        for name, make in names.items():
            with open(os.path.join(folder, below, name + ".bin"), "wb") as f:
                f.write(make())


if __name__ == "__main__":
    main()
