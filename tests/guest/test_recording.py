#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording that begins later than the process and ends before it: OVH_DELAY, OVH_DURATION."""
import os
import time
from guest import entered, files, folder, host, lost, main, read, start

ASKED, STOPS = 2, 0xffff


def windows(trace, thread=1):
    """(level, reason) of each WINDOW record."""
    return [(e.arg, e.words[3]) for e in trace.events[thread] if e.what == "WINDOW"]


def wait_for_end(where, seconds=10):
    """The trace, once it says that recording has ended; the program goes on."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if os.path.exists(where + "/trace.bin") and (t := read(where)).end:
            time.sleep(0.05)  # the file is let go of after the end is written
            return t
        time.sleep(0.02)
    raise AssertionError("no end: %s" % files(where))


def seconds(trace, tick):
    return (tick - trace.head["start_tick"]) / trace.head["tick_hz"]


def finish(p):
    p.stdin.write(b"\n")
    p.stdin.close()
    lines = p.stdout.read().decode().split("\n")
    assert p.wait(60) == 0
    p.stdout.close()
    return [int(x.split()[1]) for x in lines if x.startswith("calls")]


def test_nothing_is_recorded_before_the_delay_is_over():
    for keeper in ("on", "off"):
        with folder() as d:
            status, truth, stderr = host(d, "paced", 700, OVH_DELAY="0.25", OVH_KEEPER=keeper)
            t = read(d)
            late = t.head["start_monotonic"] / 1e9 - truth["ready"][0] / 1e9
            assert (status, stderr) == (0, "") and 0.2 < late < 0.65, late
            assert 6 <= entered(t) < truth["calls"][0] and lost(t) == 0 and windows(t) == [(2, ASKED)], (entered(t), truth)


def test_no_call_after_the_delay_no_file():
    with folder() as d:
        assert host(d, "calls", 1000, OVH_DELAY="30")[0] == 0 and files(d) == []


def test_a_child_forked_during_the_delay_waits_as_well():
    with folder() as d:
        status, truth, stderr = host(d, "paced-fork", 500, OVH_DELAY="0.2")
        assert (status, stderr, len(files(d))) == (0, "", 2)
        child = truth["child"][0]
        mine, its = sorted((read(d, f) for f in files(d)), key=lambda t: t.head["pid"] == child)
        for trace, calls in ((mine, truth["calls"][0]), (its, truth["child-calls"][0])):
            assert 0 < entered(trace) < calls and lost(trace) == 0, (entered(trace), truth)


def test_a_delay_that_is_no_number_counts_as_none():
    for value in ("soon", "-1", "1e3", ".", "1.2.3"):
        with folder() as d:
            host(d, "calls", 3, OVH_DELAY=value)
            assert entered(read(d)) == 3, value


def test_the_trace_is_complete_after_the_duration_though_the_program_goes_on():
    with folder() as d:
        p = start(d, "paced", 900, OVH_DURATION="0.3", OVH_CHUNK="16K")
        t = wait_for_end(d)
        size = os.path.getsize(d + "/trace.bin")
        assert p.poll() is None and t.end == 2 and lost(t) == 0 and size == t.strides * t.head["chunk_bytes"]
        stop = t.events[1][-1]
        assert windows(t) == [(2, 1), (STOPS, ASKED)] and stop.what == "WINDOW" and stop.words[0] == 1
        tick = stop.words[1] | stop.words[2] << 32
        assert max(e.tick for e in t.events[1]) <= tick and 0.29 < seconds(t, tick) < 0.6, seconds(t, tick)
        assert host(d, "calls", 5)[0] == 0 and files(d) == ["trace.bin", "trace.bin.old"]  # nobody holds it any more
        calls = finish(p)
        late = read(d, "trace.bin.old")
        assert entered(late) == entered(t) < calls[0] and os.path.getsize(d + "/trace.bin.old") == size


def test_every_thread_ends_where_recording_stops():
    with folder() as d:
        p = start(d, "paced-threads", 700, OVH_DURATION="0.25", OVH_CHUNK="16K")
        t = wait_for_end(d)
        finish(p)
        late = read(d)
        assert sorted(t.events) == [1, 2, 3, 4, 5] and t.end == late.end == 2
        sitting = [n for n in t.events if t.steps[next(e.arg for e in t.events[n] if e.what == "ENTER")].name == "cudaLaunchHostFunc"]
        assert len(sitting) == 1
        for number, events in late.events.items():  # the one in the long call ends its part when it comes back
            tick = events[-1].words[1] | events[-1].words[2] << 32
            assert events[-1].what == "WINDOW" and events[-1].arg == STOPS and max(e.tick for e in events) <= tick, number
            assert number in sitting or t.events[number] == events, number
        assert entered(late, "cudaLaunchHostFunc") == 1 and sum(e.what == "LEAVE" for e in late.events[sitting[0]]) == 0


def test_duration_without_the_keeper():
    with folder() as d:
        host(d, "calls", 400000, OVH_DURATION="0.005", OVH_KEEPER="off", OVH_CHUNK="16K")
        t = read(d)
        assert 1000 < entered(t) < 400000 and lost(t) == 0 and t.end == 2 and t.notes == [] and windows(t)[-1] == (STOPS, ASKED)


def test_a_child_stops_with_its_parent():
    with folder() as d:
        status, truth, stderr = host(d, "paced-fork", 600, OVH_DURATION="0.25")
        child = truth["child"][0]
        its, mine = read(d, "trace.%d.bin" % child), read(d)
        assert (status, stderr) == (0, "") and mine.end == its.end == 2
        assert 0 < entered(its) < truth["child-calls"][0] and 3 < entered(mine) < truth["calls"][0]


def test_a_duration_longer_than_the_program():
    with folder() as d:
        host(d, "calls", 100, OVH_DURATION="60", OVH_DELAY="0")
        t = read(d)
        assert entered(t) == 100 and t.end == 1 and windows(t) == [(2, 1)]


if __name__ == "__main__":
    main()
