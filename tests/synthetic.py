# SPDX-License-Identifier: Apache-2.0
"""Writes traces whose every nanosecond is known, from docs/trace-format.md: one tick is one ns.

    t = Trace()
    f, launch = t.python("f", "/x/f.py", 10), t.hooked("cudaLaunchKernel", CUDART, LAUNCH)
    main = t.thread("python")
    main.call(f, 100, lambda: main.call(launch, 2000), 50)     # f: 100 ns, a launch of 2000 ns, 50 ns
    t.write("x.bin")
"""
import struct

from trace_reader import xxh32

PYTHON, NATIVE, CUBLAS, CUBLASLT, CUDNN, NCCL, CUDART, DRIVER, WAIT, OFF_CPU, GC, OTHER = range(1, 13)
(PLAIN, LAUNCH, ALLOC, FREE, COPY, COPY_SYNC, MEMSET, EVENT, STREAM, SYNC, GRAPH, MODULE, GEMM, REGISTER, CAPTURE, QUERY, HEURISTIC, LOOKUP,
 FUNCTION, SET) = range(20)
R_TIME, R_SNAPSHOT, R_AT, R_STACK, R_UNWIND, R_STATUS, R_WINDOW, R_LOSS, R_LAUNCH, R_MEMORY, R_COPY, R_HANDLE, R_GEMM = range(1, 14)
R_RANGE, R_GC, R_OFF_CPU, R_ELAPSED, R_CALL = 14, 16, 17, 22, 25
R_MODULE, D_MODULE = 21, 12
D_VALUE, D_STEP, D_THREAD, D_KERNEL, D_LINES, D_CALIBRATION, D_COVERAGE, D_RANGE, D_NOTE, D_SETTINGS, D_END = (
    1, 3, 4, 6, 7, 9, 10, 13, 14, 18, 255)
PUSH, POP, START, RANGE_END, MARK = range(1, 6)
STRIDE = 1 << 16
HEAD, CHUNK_HEAD = 256, 64


def low_high(value):
    return [value & 0xFFFFFFFF, value >> 32]


class Thread:
    """Events of one thread. `now` is its clock; `open` the ids of its open spans."""

    def __init__(self, trace, number, start):
        self.trace, self.number, self.now, self.last, self.open, self.chunks = trace, number, start, start, [], []
        self._chunk()

    def _chunk(self):
        self.words = []
        self.chunks.append((self.now, self.words))
        self.last = self.now
        self.snapshot(self.open)
        if self.trace.window:
            type_, arg, *words = self.trace.window
            self.words.extend([len(words) << 2 | type_ << 8 | arg << 16, *words])

    def _put(self, *words):
        if len(self.words) + len(words) > (STRIDE - HEAD - CHUNK_HEAD) // 4 - 100:
            self._chunk()
        self.words.extend(words)

    def _delta(self, limit):
        if self.now - self.last > limit:
            self.record(R_TIME, 0, *low_high(self.now))
            self.last = self.now
        delta, self.last = self.now - self.last, self.now
        return delta

    def enter(self, step):
        self._put()  # a new chunk first, if one is due: it sets the clock
        delta = self._delta(0xFFFF)
        self.open.append(step)
        self.words.append(1 | step << 2 | delta << 16)

    def leave(self, failed=False):
        self._put()
        delta = self._delta((1 << 29) - 1)
        self.open.pop()
        self.words.append(2 | (4 if failed else 0) | delta << 3)

    def record(self, type_, arg, *words):
        self._put(len(words) << 2 | type_ << 8 | arg << 16, *words)

    def window(self, number, level, settle=0, period=0, reason=3):
        """A window of the process begins; every chunk from here on repeats it."""
        self.record(R_TIME, 0, *low_high(self.now))
        self.last = self.now
        self.trace.window = (R_WINDOW, level, number, *low_high(self.now), reason, settle, period)
        self.record(*self.trace.window)

    def snapshot(self, ids):
        ids = list(ids)
        self.open = ids
        self.words.append(len(ids) << 2 | R_SNAPSHOT << 8 | 1 << 16)
        self.words.extend(ids)

    def unwind(self, n):
        self.record(R_TIME, 0, *low_high(self.now))
        self.last = self.now
        self.record(R_UNWIND, n)
        del self.open[len(self.open) - n:]

    def launch(self, kernel=0, flags=0):
        self.record(R_LAUNCH, flags, kernel, *low_high(0x1000), *low_high(0), 1, 1, 1, 1, 1, 1, 0)

    def call(self, step, *body, failed=False):
        """A span; numbers in the body are ns of its own, the rest is called."""
        self.enter(step)
        self.play(*body)
        self.leave(failed)

    def counted(self, step, n=1):
        """n calls that the recorder counts and does not time."""
        for _ in range(n):
            self.record(R_CALL, step)

    def range(self, what, id_=0, *number):
        """Sets a range's end: PUSH, POP ..."""
        self.record(R_TIME, 0, *low_high(self.now))
        self.last = self.now
        self.record(R_RANGE, what, id_, *number)

    def play(self, *body):
        for part in body:
            if callable(part):
                part()
            else:
                self.now += part


class Trace:
    def __init__(self, simulated=False):
        self.flags, self.ids, self.kernels, self.ranges, self.definitions, self.threads = (1 if simulated else 0), 0, 0, 0, [], []
        self.start = 1_000_000
        self.window = None

    def define(self, type_, body, arg=0):
        first = struct.pack("<IHH", 16 + len(body), type_, arg)
        record = first + struct.pack("<II", xxh32(first + body), 0) + body
        self.definitions.append(record + bytes(-len(record) % 8))

    def step(self, name, class_, kind, file, line):
        self.ids += 1
        self.define(D_STEP, struct.pack("<IHHII", self.ids, class_, kind, line, 0) + name.encode() + b"\0" + file.encode() + b"\0")
        return self.ids

    def python(self, name, file="/x/site-packages/x.py", line=1):
        return self.step(name, PYTHON, PLAIN, file, line)

    def hooked(self, name, class_, kind=PLAIN, library=""):
        return self.step(name, class_, kind, library or {CUDART: "libcudart.so.13", DRIVER: "libcuda.so.1"}.get(class_, "libcublas.so.13"), 0)

    def native(self, name, library):
        return self.step(name, NATIVE, PLAIN, library, 0)

    def line_table(self, step, first_line, lines):
        """Each two bytes of code are one line further (CPython 3.10)."""
        table = bytes((2, 0)) + bytes((2, 1)) * (lines - 1)
        self.define(D_LINES, struct.pack("<IIII", step, 2, first_line, len(table)) + table)

    def kernel(self, name):
        self.kernels += 1
        self.define(D_KERNEL, struct.pack("<I", self.kernels) + name.encode() + b"\0")
        return self.kernels

    def range(self, name, domain=""):
        self.ranges += 1
        self.define(D_RANGE, struct.pack("<II", self.ranges, 0) + domain.encode() + b"\0" + name.encode() + b"\0")
        return self.ranges

    def module(self, id_, name, type_, parent=0):
        """An nn.Module: its name in its parent, 0: a root."""
        self.define(D_MODULE, struct.pack("<II", id_, parent) + name.encode() + b"\0" + type_.encode() + b"\0")

    def value(self, key, value):
        self.define(D_VALUE, key.encode() + b"\0" + value.encode() + b"\0")

    def setting(self, variable, value):
        self.define(D_SETTINGS, variable.encode() + b"\0" + value.encode() + b"\0")

    def probe(self, kind, ns):
        """What a probe costs: 1 a hooked call, 2 a Python frame, 5 one reading of the clock."""
        self.define(D_CALIBRATION, struct.pack("<IIQQQ", kind, 1000, ns * 1000, ns * 1000, ns * 1000))

    def clock_probe(self, ns):
        self.probe(5, ns)

    def note(self, text):
        self.define(D_NOTE, text.encode() + b"\0")

    def coverage(self, seen, unseen, text):
        self.define(D_COVERAGE, struct.pack("<IIQQ", 0, 1 if unseen else 0, seen, unseen) + text.encode() + b"\0")

    def thread(self, name="python"):
        number = len(self.threads) + 1
        self.define(D_THREAD, struct.pack("<IIQ", number, 1000 + number, self.start) + name.encode() + b"\0")
        self.threads.append(Thread(self, number, self.start))
        return self.threads[-1]

    def end(self):
        self.define(D_END, struct.pack("<QII", max(t.now for t in self.threads) if self.threads else self.start, 1, 0))

    def _chunk(self, index, kind, thread, sequence, base, payload, sealed=True):
        first = struct.pack("<IHHIIQQQ", 0x4B48564F, kind, 0, index, thread, sequence, base, 0)
        used, check = (len(payload), xxh32(payload)) if sealed and payload else (0, 0)
        head = first + struct.pack("<III", used, check, xxh32(first)) + bytes(12)
        room = STRIDE - len(head) - (HEAD if index == 0 else 0)
        assert len(payload) <= room, len(payload)
        return head + payload + bytes(room - len(payload))

    def bytes(self, sealed=True):
        head = struct.pack("<8sHHIIIHHIQQQQQ", b"OVHTRACE", 1, 0, HEAD, STRIDE, self.flags, 1, 2, 4242, 10**9, self.start, self.start,
                           1_700_000_000 * 10**9, 77) + bytes(180)
        data, index, sequence, payload = head + struct.pack("<I", xxh32(head)), 0, 0, b""
        for record in self.definitions + [None]:
            if record is None or len(payload) + len(record) > STRIDE - HEAD - CHUNK_HEAD:
                data += self._chunk(index, 2, 0, sequence, 0, payload, sealed)
                index, sequence, payload = index + 1, sequence + 1, b""
            payload += record or b""
        for thread in self.threads:
            for number, (base, words) in enumerate(thread.chunks):
                data += self._chunk(index, 1, thread.number, number, base, struct.pack("<%dI" % len(words), *words), sealed)
                index += 1
        return data

    def write(self, path, sealed=True):
        with open(path, "wb") as f:
            f.write(self.bytes(sealed))
