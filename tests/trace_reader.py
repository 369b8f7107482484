# SPDX-License-Identifier: Apache-2.0
"""Reads a trace file, made from docs/trace-format.md alone: what tests compare the recorder with. Slow and strict: anything that the
specification calls damage is a ValueError.

    trace = read("trace.bin")
    trace.values, trace.notes, trace.steps[id], trace.threads[number].events
    for span in spans(trace, number): ...      # closed and open spans of a thread, in the order of their beginning
"""
import collections
import struct

MASK = 0xFFFFFFFF
P1, P2, P3, P4, P5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
PYTHON, NATIVE = 1, 2
RECORDS = dict(enumerate("TIME SNAPSHOT AT STACK UNWIND STATUS WINDOW LOSS LAUNCH MEMORY COPY HANDLE GEMM RANGE LINK GC OFF_CPU GPU "
                         "COUNTERS SAMPLE MODULE ELAPSED NAME THREAD CALL".split(), 1))

Step = collections.namedtuple("Step", "id class_ kind first_line object name file")
Window = collections.namedtuple("Window", "number level begin reason settle period")  # level 0xffff: nothing is recorded from there on
Event = collections.namedtuple("Event", "what arg words tick")  # what: ENTER (arg: id), LEAVE (arg: failed), HOLE or a name of RECORDS


class Span:
    """begin, end: ticks; end None: never seen to end. begun_earlier: it stands in a snapshot only. lines: of the calls made directly
    in it, by AT. at: the line in force. stack: [(step, line)] by STACK, for outermost spans. counted: calls made directly in it that were
    counted and not timed, by the step's name."""

    def __init__(self, step, begin, parent, begun_earlier=False):
        self.step, self.begin, self.parent, self.begun_earlier = step, begin, parent, begun_earlier
        self.end, self.failed, self.at, self.stack, self.line, self.children = None, False, None, None, None, []
        self.counted = collections.Counter()
        if parent:
            parent.children.append(self)

    def path(self):
        return (self.parent.path() if self.parent else []) + [self.step.name]


class Trace:
    def __init__(self):
        self.head, self.values, self.notes, self.settings, self.losses = {}, {}, [], {}, {}
        self.end = self.strides = None
        self.objects = []  # (path, build-id)
        self.steps, self.names, self.kernels, self.stacks, self.lines, self.ranges = {}, {}, {}, {}, {}, {}
        self.modules = {}  # id -> (parent id or 0, name, type)
        self.thread_names, self.events = {}, {}


def _rotate(x, n):
    return (x << n | x >> (32 - n)) & MASK


def xxh32(data):
    at, n = 0, len(data)
    if n >= 16:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 16 <= n:
            for i, word in enumerate(struct.unpack_from("<4I", data, at)):
                lanes[i] = _rotate((lanes[i] + word * P2) & MASK, 13) * P1 & MASK
            at += 16
        h = sum(_rotate(lane, turn) for lane, turn in zip(lanes, (1, 7, 12, 18))) & MASK
    else:
        h = P5
    h = (h + n) & MASK
    while at + 4 <= n:
        h = _rotate((h + struct.unpack_from("<I", data, at)[0] * P3) & MASK, 17) * P4 & MASK
        at += 4
    for byte in data[at:]:
        h = _rotate((h + byte * P5) & MASK, 11) * P1 & MASK
    h = (h ^ h >> 15) * P2 & MASK
    h = (h ^ h >> 13) * P3 & MASK
    return h ^ h >> 16


def _texts(body, at, n):
    found = []
    for _ in range(n):
        end = body.index(b"\0", at)
        found.append(body[at:end].decode(errors="replace"))
        at = end + 1
    return found


def _definition(trace, kind, body):
    u32 = struct.unpack_from("<%dI" % (len(body) // 4), body)
    if kind in (1, 18):
        key, value = _texts(body, 0, 2)
        (trace.values if kind == 1 else trace.settings)[key] = value
    elif kind == 3:
        id_, class_, what, first_line, object_ = struct.unpack_from("<IHHII", body)
        trace.steps[id_] = Step(id_, class_, what, first_line, object_, *_texts(body, 16, 2))
    elif kind == 4:
        trace.thread_names.setdefault(u32[0], (u32[1], _texts(body, 16, 1)[0]))
    elif kind == 5:
        trace.objects.append((_texts(body, 48, 1)[0], body[24:24 + u32[1]]))
    elif kind == 6:
        trace.kernels[u32[0]] = _texts(body, 4, 1)[0]
    elif kind == 7:
        trace.lines[u32[0]] = (u32[1], u32[2], body[16:16 + u32[3]])
    elif kind == 8:
        trace.stacks[u32[0]] = list(zip(u32[2:2 + 2 * u32[1]:2], u32[3:3 + 2 * u32[1]:2]))
    elif kind == 11:
        trace.losses[u32[0], _texts(body, 16, 1)[0]] = struct.unpack_from("<Q", body, 8)[0]
    elif kind == 13:
        trace.ranges[u32[0]] = tuple(_texts(body, 8, 2))  # domain, name
    elif kind == 12:
        trace.modules[u32[0]] = (u32[1], *_texts(body, 8, 2))
    elif kind == 14:
        trace.notes.append(_texts(body, 0, 1)[0])
    elif kind == 15:
        trace.names[u32[0]] = _texts(body, 4, 1)[0]
    elif kind == 255:
        trace.end, trace.strides = u32[2], u32[3]


def _definitions(trace, payload, used, check):
    at, limit = 0, used or len(payload)
    while at + 16 <= limit:
        length, kind, _, sum_, _ = struct.unpack_from("<IHHII", payload, at)
        if not length:
            return
        if length < 16 or at + length > limit:
            raise ValueError("a definition of %d bytes at %d" % (length, at))
        body = payload[at + 16:at + length]
        if check and xxh32(payload[at:at + 8] + body) != sum_:
            raise ValueError("a definition whose check does not fit, at %d" % at)
        _definition(trace, kind, body)
        at += (length + 7) & ~7


def _events(payload, used, base_tick, thread):
    """Yields (thread, Event)."""
    words = struct.unpack_from("<%dI" % ((used or len(payload)) // 4), payload)
    tick, at = base_tick, 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == 0:
            if used:
                raise ValueError("a zero word in a sealed chunk")
            return
        kind = word & 3
        if kind == 1:
            tick += word >> 16
            yield thread, Event("ENTER", word >> 2 & 0x3FFF, (), tick)
        elif kind == 3:
            tick += words[at]
            at += 1
            yield thread, Event("ENTER", word >> 2, (), tick)
        elif kind == 2:
            tick += word >> 3
            yield thread, Event("LEAVE", word >> 2 & 1, (), tick)
        else:
            n, name = word >> 2 & 63, RECORDS.get(word >> 8 & 255)
            body = words[at:at + n]
            at += n
            if name == "TIME":
                tick = body[0] | body[1] << 32
            if name == "THREAD":
                thread = body[0]
            yield thread, Event(name, word >> 16, body, tick)


def _chunks(data, head_bytes, stride):
    for start in range(0, len(data), stride):
        at = start + (head_bytes if start == 0 else 0)
        if at + 64 > len(data) or data[at:at + 4] == b"\0\0\0\0":
            continue
        fields = struct.unpack_from("<IHHIIQQQIII", data, at)
        if fields[3] != start // stride or xxh32(data[at:at + 40]) != fields[10]:
            raise ValueError("chunk %d: its head is damaged" % (start // stride))
        payload = data[at + 64:start + stride]
        if fields[8] and xxh32(payload[:fields[8]]) != fields[9]:
            raise ValueError("chunk %d: its check does not fit" % (start // stride))
        yield dict(zip("magic kind flags index thread sequence base_tick generation used check head_check".split(), fields)), payload


def read(path, check=True):
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"OVHTRACE" or xxh32(data[:252]) != struct.unpack_from("<I", data, 252)[0]:
        raise ValueError("%s: not a trace, or a damaged file head" % path)
    trace = Trace()
    trace.head = dict(zip("major minor head_bytes chunk_bytes flags arch clock pid tick_hz start_tick start_monotonic "
                          "start_realtime process_start".split(), struct.unpack_from("<HHIIIHHIQQQQQ", data, 8)))
    parts, definitions = [], []
    for chunk, payload in _chunks(data, trace.head["head_bytes"], trace.head["chunk_bytes"]):
        if chunk["kind"] == 2:
            definitions.append((chunk["sequence"], payload, chunk["used"]))
            continue
        by_thread = collections.defaultdict(list)
        for thread, event in _events(payload, chunk["used"], chunk["base_tick"], chunk["thread"]):
            by_thread[thread].append(event)
        for thread, events in by_thread.items():
            parts.append((thread, chunk["sequence"] if thread == chunk["thread"] else 0, events))
    for _, payload, used in sorted(definitions, key=lambda d: d[0]):
        _definitions(trace, payload, used, check)
    expected = collections.Counter()
    for thread, sequence, events in sorted(parts, key=lambda p: p[:2]):
        mine = trace.events.setdefault(thread, [])
        if sequence != expected[thread]:
            mine.append(Event("HOLE", 0, (), events[0].tick))
        mine.extend(events)
        expected[thread] = sequence + 1
    return trace


def windows(trace):
    """The process's windows in the order of their beginning (section 4.4)."""
    found = {}
    for events in trace.events.values():
        for event in events:
            if event.what != "WINDOW":
                continue
            number, low, high, reason = event.words[:4]
            settle, period = event.words[4:6] if len(event.words) >= 6 else (0, 0)
            window = Window(number, event.arg, low | high << 32, reason, settle, period)
            if found.setdefault((number, event.arg == 0xFFFF), window) != window:
                raise ValueError("window %d is told in two ways" % number)
    return sorted(found.values(), key=lambda w: (w.begin, w.number, w.level == 0xFFFF))


# ---- lines ----------------------------------------------------------------------------------------------------------

def _signed(byte):
    return byte - 256 if byte > 127 else byte


def _varint(table, at):
    value, shift = 0, 0
    while True:
        value |= (table[at] & 63) << shift
        shift += 6
        at += 1
        if not table[at - 1] & 64:
            return value


def _line_311(first_line, table, offset):
    at, line, place = 0, first_line, 0
    while at < len(table):
        code, length = table[at] >> 3 & 15, (table[at] & 7) + 1
        if code in (13, 14):
            change = _varint(table, at + 1)
            change = -(change >> 1) if change & 1 else change >> 1
        else:
            change = code - 10 if code in (10, 11, 12) else 0
        line += change
        if place <= offset < place + length:
            return None if code == 15 else line
        place += length
        at += 1
        while at < len(table) and not table[at] & 128:
            at += 1
    return None


def line_of(trace, step, offset):
    """Line of a code offset in 2-byte units, or None."""
    if step not in trace.lines:
        return None
    form, line, table = trace.lines[step]
    if form == 3:
        return _line_311(line, table, offset)
    place, at = 0, 2 * offset
    for forward, change in zip(table[::2], map(_signed, table[1::2])):
        if form == 1:
            if place + forward > at:
                break
            place, line = place + forward, line + change
        else:
            line += change if change != -128 else 0
            if place <= at < place + forward:
                return None if change == -128 else line
            place += forward
    return line if form == 1 else None


# ---- spans ----------------------------------------------------------------------------------------------------------

def _unknown(trace, id_):
    return trace.steps.get(id_) or Step(id_, 0, 0, 0, 0, "step %d" % id_, "")


def _take_snapshot(trace, event, ids, open_, found):
    """Rule 4.2.1: what is equal from the outermost on stays, the rest of the open spans ends, the rest of the snapshot begins."""
    same = 0
    while same < len(open_) and same < len(ids) and open_[same].step.id == ids[same]:
        same += 1
    del open_[same:]
    for id_ in ids[same:]:
        span = Span(_unknown(trace, id_), event.tick, open_[-1] if open_ else None, True)
        open_.append(span)
        found.append(span)


def _line_in_force(open_):
    for span in reversed(open_):
        if span.step.class_ == PYTHON:
            return span
    return None


def spans(trace, thread):
    """The thread's spans in the order of their beginning. A cut snapshot is not supported here."""
    open_, found, ids, stack, orphans = [], [], [], None, 0
    for event in trace.events[thread]:
        if event.what == "ENTER":
            span = Span(_unknown(trace, event.arg), event.tick, open_[-1] if open_ else None)
            span.stack = stack if not open_ else None
            caller = next((s for s in reversed(open_) if s.step.class_ != NATIVE), None)
            if caller and span.step.class_ not in (PYTHON, NATIVE) and caller.step.class_ == PYTHON:
                span.line = caller.at
            open_.append(span)
            found.append(span)
        elif event.what == "LEAVE" and not open_:
            orphans += 1
        elif event.what == "LEAVE":
            span = open_.pop()
            span.end, span.failed = event.tick, bool(event.arg)
        elif event.what == "AT":
            span = _line_in_force(open_)
            if not span:
                raise ValueError("AT without a Python span")
            span.at = line_of(trace, span.step.id, event.words[0] if event.arg == 0xFFFF else event.arg)
        elif event.what == "STACK":
            stack = [(trace.steps[s], line_of(trace, s, at)) for s, at in trace.stacks[event.words[0]]] if event.words[0] else None
        elif event.what == "CALL" and open_:
            open_[-1].counted[_unknown(trace, event.arg).name] += 1
        elif event.what == "UNWIND":
            del open_[max(0, len(open_) - event.arg):]
        elif event.what == "SNAPSHOT":
            if event.arg & 4:
                raise ValueError("a cut snapshot")
            ids = (ids if not event.arg & 1 else []) + list(event.words)
            if not event.arg & 2:
                _take_snapshot(trace, event, ids, open_, found)
        elif event.what == "HOLE":
            del open_[:]
    return found


def calls(trace, thread, name):
    """How many calls of a step of that name the thread made: spans, and calls that were counted and not timed."""
    counted = sum(e.what == "CALL" and _unknown(trace, e.arg).name == name for e in trace.events[thread])
    return counted + sum(span.step.name == name for span in spans(trace, thread))
