#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second reader of trace files, lenient where tests/trace_reader.py is strict: written from docs/trace-format.md alone, sharing
nothing with ovh-report. For tests.

    import second_reader
    t = second_reader.load("trace.bin")
    t.values["python"]; t.notes; t.ended; t.losses; t.damage
    for thread in t.threads.values():            # by number
        thread.tid, thread.name
        thread.events                            # [(tick, "enter", name), (tick, "leave", name, failed), (tick, "LAUNCH", {...}), ...]
        thread.spans                             # trees of Span: name, file, class_, start, end, failed, open, records, children
    t.calls("cudaLaunchKernel")                  # all spans of that name, any thread, in order of start

Run as a program it prints the spans as an indented tree: tests/trace/second_reader.py trace.bin
"""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from xxh32 import xxh32

HEAD, CHUNK_HEAD = 256, 64
CLASSES = [None, "python", "native", "cublas", "cublaslt", "cudnn", "nccl", "cudart", "driver", "wait", "off-cpu", "gc", "other",
           "cusparse", "cusolver", "cufft", "curand", "nvrtc"]
KINDS = ["plain", "launch", "alloc", "free", "copy", "copy-sync", "memset", "event", "stream", "sync", "graph", "module", "gemm",
         "register", "capture", "query", "heuristic", "lookup", "function", "set"]
LOSSES = [None, "no-space", "recursion", "depth", "ids", "unhooked", "threads"]
# type: name, what the argument is called, fields as struct codes (I: one word, Q: two, f: one)
RECORDS = {
    1: ("TIME", None, "Q", "tick"), 2: ("SNAPSHOT", "flags", "", ""), 3: ("AT", "offset", "", ""), 4: ("STACK", None, "I", "stack"),
    5: ("UNWIND", "spans", "", ""), 6: ("STATUS", None, "I", "value"), 7: ("WINDOW", "level", "IQI", "number tick reason"),
    8: ("LOSS", "why", "Q", "count"),
    9: ("LAUNCH", "flags", "IQQIIIIIII", "kernel function stream gx gy gz bx by bz shared"),
    10: ("MEMORY", "what", "QQQ", "bytes pointer stream"), 11: ("COPY", "direction", "QQ", "bytes stream"),
    12: ("HANDLE", "what", "QQ", "handle stream"), 13: ("GEMM", "batches", "QQQII", "m n k batch types"),
    14: ("RANGE", "what", "I", "range"), 15: ("LINK", "what", "IQ", "thread token"), 16: ("GC", "generation", "Q", "tick"),
    17: ("OFF_CPU", "why", "QII", "ticks voluntary involuntary"), 18: ("GPU", "what", "IQQQI", "domain start end launch kernel"),
    19: ("COUNTERS", "set", "", ""), 20: ("SAMPLE", "frames", "", ""), 21: ("MODULE", None, "I", "module"),
    22: ("ELAPSED", None, "f", "us"), 23: ("NAME", None, "I", "name"), 24: ("THREAD", None, "I", "thread"), 25: ("CALL", "step", "", ""),
}


class BadTrace(Exception):
    pass


class Step:
    def __init__(self, id, class_=None, kind=None, line=0, object=0, name="?", file=""):
        self.id, self.class_, self.kind, self.line, self.object, self.name, self.file = id, class_, kind, line, object, name, file


class Span:
    def __init__(self, step, start, reopened=False):
        self.step, self.name, self.file, self.class_, self.kind = step, step.name, step.file, step.class_, step.kind
        self.start, self.end, self.failed, self.reopened = start, None, False, reopened
        self.open = False  # True: no leave was seen (killed, cut by a hole or a stop)
        self.unwound = False
        self.records, self.children = [], []

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def record(self, name):
        """Fields of the first record of that name, None without one."""
        return next((fields for n, fields in self.records if n == name), None)


class Thread:
    def __init__(self, number):
        self.number, self.tid, self.name, self.ended = number, 0, "", None
        self.events, self.spans, self.missing, self.orphans, self.parts = [], [], 0, 0, []

    def calls(self, name):
        return [s for root in self.spans for s in root.walk() if s.name == name]


class Trace:
    def __init__(self):
        self.head, self.values, self.settings, self.steps, self.threads = {}, {}, {}, {}, {}
        self.kernels, self.names, self.ranges, self.modules, self.objects = {}, {}, {}, {}, {}
        self.stacks, self.lines = {}, {}
        self.notes, self.anchors, self.coverage, self.calibration, self.losses = [], [], [], [], {}
        self.ended = None  # (tick, reason)
        self.damage = []   # texts

    def calls(self, name):
        found = [s for thread in self.threads.values() for s in thread.calls(name)]
        return sorted(found, key=lambda s: s.start)

    def lost(self):
        recorded = sum(e[2]["count"] for t in self.threads.values() for e in t.events if e[1] == "LOSS")
        return recorded + sum(self.losses.values())

    def ns(self, ticks):
        """A number of ticks in ns, by the first and the last anchor (tick_hz where there is only one)."""
        a = [(self.head["start_tick"], self.head["start_monotonic"])] + self.anchors
        if self.head["clock"] != 1:
            return ticks
        first, last = min(a), max(a)
        if last[0] == first[0]:
            return ticks * 1e9 / self.head["tick_hz"]
        return ticks * (last[1] - first[1]) / (last[0] - first[0])


def read_head(data):
    if len(data) < HEAD or data[:8] != b"OVHTRACE":
        raise BadTrace("not a trace")
    names = "major minor head_bytes chunk_bytes flags arch clock pid tick_hz start_tick start_monotonic start_realtime process_start"
    head = dict(zip(names.split(), struct.unpack_from("<HHIIIHHIQQQQQ", data, 8)))
    if head["major"] > 1:
        raise BadTrace("newer")
    if xxh32(data[:252]) != struct.unpack_from("<I", data, 252)[0]:
        raise BadTrace("head damaged")
    return head


def texts(body, n):
    out, at = [], 0
    for _ in range(n):
        end = body.index(b"\0", at)
        out.append(body[at:end].decode(errors="replace"))
        at = end + 1
    return out


def number(table, i):
    return table[i] if i < len(table) else i


def take_definition(t, type, arg, body):
    if type in (1, 18):
        key, value = texts(body, 2)
        (t.values if type == 1 else t.settings)[key] = value
    elif type == 2:
        t.anchors.append(struct.unpack_from("<QQ", body))
    elif type == 3:
        id, class_, kind, line, object = struct.unpack_from("<IHHII", body)
        t.steps[id] = Step(id, number(CLASSES, class_), number(KINDS, kind), line, object, *texts(body[16:], 2))
    elif type == 4:
        n, tid, tick = struct.unpack_from("<IIQ", body)
        thread = t.threads.setdefault(n, Thread(n))
        thread.tid, thread.name = tid, texts(body[16:], 1)[0] or thread.name
        if arg == 1:
            thread.ended = tick
    elif type == 5:
        id, length, base, size = struct.unpack_from("<IIQQ", body)
        t.objects[id] = dict(base=base, size=size, build_id=body[24:24 + length].hex(), path=texts(body[48:], 1)[0])
    elif type in (6, 15):
        (t.kernels if type == 6 else t.names)[struct.unpack_from("<I", body)[0]] = texts(body[4:], 1)[0]
    elif type == 7:
        step, form, line, n = struct.unpack_from("<IIII", body)
        t.lines[step] = (form, line, body[16:16 + n])
    elif type == 8:
        id, n = struct.unpack_from("<II", body)
        t.stacks[id] = list(struct.iter_unpack("<II", body[8:8 + 8 * n]))
    elif type == 9:
        t.calibration.append(struct.unpack_from("<IIQQQ", body))
    elif type == 10:
        object, reason, seen, unseen = struct.unpack_from("<IIQQ", body)
        t.coverage.append(dict(object=object, reason=reason, seen=seen, unseen=unseen, text=texts(body[24:], 1)[0]))
    elif type == 11:
        why, _, count = struct.unpack_from("<IIQ", body)
        t.losses[number(LOSSES, why), texts(body[16:], 1)[0]] = count
    elif type == 12:
        id, parent = struct.unpack_from("<II", body)
        t.modules[id] = (parent, *texts(body[8:], 2))
    elif type == 13:
        id, colour = struct.unpack_from("<II", body)
        t.ranges[id] = (colour, *texts(body[8:], 2))
    elif type == 14:
        t.notes.append(texts(body, 1)[0])
    elif type == 255:
        t.ended = struct.unpack_from("<QI", body)


def take_definitions(t, payload, sealed, where):
    at = 0
    while at + 16 <= len(payload):
        n, type, arg, check = struct.unpack_from("<IHHI", payload, at)
        if n == 0 and not sealed:
            return
        if n < 16 or n > len(payload) - at:
            t.damage.append("definition length at 0x%x" % (where + at))
            return
        body = payload[at + 16:at + n]
        if xxh32(payload[at:at + 8] + body) != check:
            t.damage.append("definition at 0x%x" % (where + at))
        else:
            try:
                take_definition(t, type, arg, body)
            except (struct.error, ValueError):
                t.damage.append("definition body at 0x%x" % (where + at))
        at += (n + 7) & ~7


def words_of(payload):
    n = len(payload) // 4
    return struct.unpack("<%dI" % n, payload[:4 * n])


def split(words, base):
    """-> [(tick, word kind, ...)], why it ended: "end", "zero" or "bad"."""
    items, at, tick = [], 0, base
    while at < len(words):
        w = words[at]
        kind = w & 3
        if w == 0:
            return items, "zero"
        if kind == 1:
            tick += w >> 16
            items.append((tick, "enter", w >> 2 & 0x3fff))
            at += 1
        elif kind == 2:
            tick += w >> 3
            items.append((tick, "leave", bool(w & 4)))
            at += 1
        elif kind == 3:
            if at + 1 >= len(words):
                return items, "bad"
            tick += words[at + 1]
            items.append((tick, "enter", w >> 2))
            at += 2
        else:
            n, type, arg = w >> 2 & 63, w >> 8 & 255, w >> 16
            if type == 0 or at + 1 + n > len(words):
                return items, "bad"
            data = words[at + 1:at + 1 + n]
            if type == 1 and n >= 2:
                tick = data[0] | data[1] << 32
            items.append((tick, "record", type, arg, data))
            at += 1 + n
    return items, "end"

LATER = {7: ("IQIII", "number tick reason settle period")}  # since 1.1: words at the record's end, where they are


def fields_of(type, arg, data):
    """-> name, fields; None where the record is too short."""
    if type not in RECORDS:
        return "TYPE_%d" % type, dict(arg=arg, words=data)
    name, arg_name, codes, names = RECORDS[type]
    fields = {arg_name: arg} if arg_name else {}
    raw = struct.pack("<%dI" % len(data), *data)
    if struct.calcsize("<" + codes) > len(raw) or (type == 3 and arg == 0xffff and not data) or (type == 20 and len(data) < 3 * arg):
        return None
    if type in LATER and struct.calcsize("<" + LATER[type][0]) <= len(raw):
        codes, names = LATER[type]
    fields.update(zip(names.split(), struct.unpack_from("<" + codes, raw)))
    if type == 3 and arg == 0xffff:
        fields["offset"] = data[0]
    if type == 2:
        fields["ids"] = list(data)
    if type == 19:
        fields["values"] = [q for (q,) in struct.iter_unpack("<Q", raw[:len(raw) & ~7])]
    if type == 20:
        fields["frames"] = list(struct.iter_unpack("<IQ", raw[:12 * arg]))
    return name, fields


class Stack:
    """The rules of section 4.2 for one thread."""

    def __init__(self, trace, thread):
        self.trace, self.thread, self.open, self.ids, self.last, self.partial = trace, thread, [], [], 0, []

    def enter(self, id, tick, reopened=False):
        span = Span(self.trace.steps.get(id) or Step(id), tick, reopened)
        (self.open[-1].children if self.open else self.thread.spans).append(span)
        self.open.append(span)
        self.ids.append(id)
        self.thread.events.append((tick, "enter", span.name))

    def leave(self, tick, failed=False, cut=False, unwound=False):
        if not self.open:
            self.thread.orphans += 1
            return
        span = self.open.pop()
        self.ids.pop()
        span.end, span.failed, span.open, span.unwound = tick, failed, cut, unwound
        self.thread.events.append((tick, "leave", span.name, failed))

    def close_to(self, depth, tick, **how):
        while len(self.open) > depth:
            self.leave(tick, **how)

    def snapshot(self, flags, ids, tick):
        if flags & 1:
            self.partial = []
        self.partial += ids
        if flags & 2:
            return
        same = 0
        if flags & 4:
            if self.ids[max(len(self.ids) - len(self.partial), 0):] == self.partial:
                return
        else:
            while same < min(len(self.ids), len(self.partial)) and self.ids[same] == self.partial[same]:
                same += 1
        self.close_to(same, tick, cut=True)
        for id in self.partial[same:]:
            self.enter(id, tick, reopened=True)

    def take(self, item):
        tick, what = item[:2]
        self.last = tick = max(self.last, tick)
        if what == "enter":
            self.enter(item[2], tick)
        elif what == "leave":
            self.leave(tick, failed=item[2])
        else:
            found = fields_of(*item[2:])
            if not found:
                self.trace.damage.append("short record of thread %d" % self.thread.number)
                return
            name, fields = found
            if name == "SNAPSHOT":
                self.snapshot(fields["flags"], fields["ids"], tick)
            elif name == "UNWIND":
                self.close_to(max(len(self.open) - fields["spans"], 0), tick, unwound=True)
            elif name == "WINDOW" and fields["level"] == 0xffff:
                self.close_to(0, tick, cut=True)
            if name not in ("TIME", "THREAD", "SNAPSHOT", "UNWIND"):
                self.thread.events.append((tick, name, fields))
                if self.open:
                    self.open[-1].records.append((name, fields))


def take_events(t, chunks):
    parts = {}
    for index, thread, sequence, base, payload, sealed in chunks:
        items, why = split(words_of(payload), base)
        if why == "bad" or (why == "zero" and sealed):
            t.damage.append("words in chunk %d" % index)
        part = parts.setdefault((thread, 1, sequence), [])
        for item in items:
            if item[1] == "record" and item[2] == 24:
                part = parts.setdefault((item[4][0], 0, 0), [])
            else:
                part.append(item)
    expected = {}
    stacks = {}
    for (thread, own, sequence), items in sorted(parts.items()):
        th = t.threads.setdefault(thread, Thread(thread))
        stack = stacks.setdefault(thread, Stack(t, th))
        want = expected.get(thread, 0)
        expected[thread] = sequence + 1
        if own and sequence > want and not (want == 0 and t.head["flags"] & 2):
            th.missing += sequence - want
            stack.close_to(0, stack.last, cut=True)
            th.events.append((stack.last, "BREAK", {}))
        th.parts.append(sequence)
        for item in items:
            stack.take(item)
    for stack in stacks.values():
        stack.close_to(0, stack.last, cut=True)


def read(data):
    t = Trace()
    t.head = read_head(data)
    stride, events, definitions = t.head["chunk_bytes"], [], []
    for start in range(0, len(data), stride):
        at = start + (t.head["head_bytes"] if start == 0 else 0)
        if len(data) < start + stride:
            t.damage.append("cut at 0x%x" % len(data))
        if len(data) < at + CHUNK_HEAD:
            continue
        magic, kind, _, index, thread, sequence, base, _, used, check, head_check = struct.unpack_from("<IHHIIQQQIII", data, at)
        if magic == 0:
            continue
        if magic != 0x4b48564f or head_check != xxh32(data[at:at + 40]) or index != start // stride or used > start + stride - at - CHUNK_HEAD:
            t.damage.append("chunk head at 0x%x" % at)
            continue
        payload = data[at + CHUNK_HEAD:min(start + stride, len(data))]
        sealed = 0 < used <= len(payload)
        payload = payload[:used] if sealed else payload
        if kind == 2:
            definitions.append((sequence, payload, sealed, at + CHUNK_HEAD))
        elif sealed and xxh32(payload) != check:
            t.damage.append("chunk %d of thread %d" % (index, thread))
        elif kind == 1:
            events.append((index, thread, sequence, base, payload, sealed))
    for _, payload, sealed, where in sorted(definitions, key=lambda d: d[0]):
        take_definitions(t, payload, sealed, where)
    take_events(t, events)
    return t


def load(path):
    with open(path, "rb") as f:
        return read(f.read())


def show(t):
    for key, value in sorted(t.values.items()):
        print("%s: %s" % (key, value))
    for n, thread in sorted(t.threads.items()):
        print("thread %d %s (tid %d)" % (n, thread.name, thread.tid))

        def tree(span, depth):
            flags = "".join(" " + w for w in ("failed", "open", "reopened", "unwound") if getattr(span, w))
            print("%s%s %.0f ns%s" % ("  " * depth, span.name, t.ns(span.end - span.start), flags))
            for name, fields in span.records:
                print("%s- %s %s" % ("  " * (depth + 1), name, fields))
            for child in span.children:
                tree(child, depth + 1)
        for root in thread.spans:
            tree(root, 1)
    for text in t.damage + t.notes:
        print(text)


if __name__ == "__main__":
    show(load(sys.argv[1]))
