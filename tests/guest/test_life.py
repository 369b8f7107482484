#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recorder's life in a process: kill, fork, exec, threads, signals, exit."""
import os
import signal
import struct
import time
from guest import HOST, LIBRARY, entered, environment, files, folder, finish, host, lost, main, read, start  # noqa: F401
import subprocess
import trace_reader


def test_every_call_is_in_the_trace():
    with folder() as d:
        status, truth, stderr = host(d, "calls", 1000)
        assert (status, stderr, truth["calls"]) == (0, "", [1000])
        t = read(d)
        assert entered(t) == entered(t, "cudaGetDevice") == 1000
        assert list(t.events) == [1] and t.losses == {} and t.end == 1 and t.strides == os.path.getsize(d + "/trace.bin") // t.head["chunk_bytes"]
        assert [e.what for e in t.events[1][:3]] == ["SNAPSHOT", "WINDOW", "SNAPSHOT"]
        assert all(s.end is not None and s.end >= s.begin for s in trace_reader.spans(t, 1))


def test_many_chunks_decode_whole():
    with folder() as d:
        status, truth, _ = host(d, "calls", 300000, OVH_CHUNK="64K")
        t = read(d)
        assert status == 0 and entered(t) == 300000 and lost(t) == 0
        ticks = [e.tick for e in t.events[1]]
        assert ticks == sorted(ticks) and not any(e.what == "HOLE" for e in t.events[1])


def test_the_same_without_the_keeper():
    with folder() as d:
        host(d, "calls", 100000, OVH_KEEPER="off", OVH_CHUNK="16K")
        t = read(d)
        assert entered(t) == 100000 and lost(t) == 0 and t.values["command"].endswith("host calls 100000") and t.settings["OVH_KEEPER"] == "off"


def test_sigkill_loses_nothing_that_was_written():
    for delay in (0.0, 0.003, 0.02, 0.05, 0.11):
        with folder() as d:
            p = start(d, "forever", OVH_CHUNK="64K")
            time.sleep(delay)
            while os.path.getsize(d + "/truth") < 8 or not struct.unpack("<q", open(d + "/truth", "rb").read(8))[0]:
                time.sleep(0.001)
            p.send_signal(signal.SIGKILL)
            p.wait()
            p.stdout.close()
            p.stdin.close()
            truth = struct.unpack("<q", open(d + "/truth", "rb").read(8))[0]
            t = read(d)
            assert truth <= entered(t) <= truth + 1, (truth, entered(t))
            assert t.end is None and len(t.steps) > 400


def test_a_forked_child_writes_its_own_file():
    with folder() as d:
        status, truth, stderr = host(d, "fork", 7)
        child, parent = truth["child"][0], truth["parent"][0]
        assert (status, stderr, files(d)) == (0, "", ["trace.%d.bin" % child, "trace.bin"])
        mine, its = read(d), read(d, "trace.%d.bin" % child)
        assert entered(mine, "cudaGetDevice") == 15 and entered(mine) == 16 and entered(its) == 7
        assert its.values["parent.pid"] == str(parent) and its.values["parent.file"] == os.path.realpath(d) + "/trace.bin"
        assert its.head["pid"] == child and mine.head["pid"] == parent and len(its.steps) == len(mine.steps)
        outer = trace_reader.spans(its, 1)[0]
        assert outer.begun_earlier and outer.step.name == "cudaLaunchHostFunc" and outer.end is not None and len(outer.children) == 7


def test_children_without_a_cuda_call_leave_no_file():
    with folder() as d:
        assert host(d, "workers")[0] == 0
        assert files(d) == ["trace.bin"] and entered(read(d)) == 10


def test_a_program_without_a_cuda_call_leaves_no_file():
    with folder() as d:
        assert host(d, "nothing")[0] == 0 and host(d, program="/bin/true")[0] == 0 and files(d) == []


def test_after_exec_a_tool_leaves_the_trace_alone():
    with folder() as d:
        assert host(d, "exec", "/bin/ls")[0] == 0
        assert files(d) == ["trace.bin"] and entered(read(d)) == 2 and read(d).end is None


def test_threads_at_once():
    with folder() as d:
        host(d, "threads", 20000, OVH_CHUNK="64K")
        t = read(d)
        assert len(t.events) == 8 and entered(t) == 160000 and lost(t) == 0
        assert all(sum(e.what == "ENTER" for e in events) == 20000 for events in t.events.values())


def test_two_thousand_short_threads_share_chunks():
    with folder() as d:
        host(d, "short-threads", 2000)
        t = read(d)
        assert len(t.events) == 2000 and entered(t) == 6000 and lost(t) == 0 and len(t.thread_names) == 2000
        assert all(sum(e.what == "ENTER" for e in events) == 3 for events in t.events.values())
        assert os.path.getsize(d + "/trace.bin") <= 12 * t.head["chunk_bytes"]


def test_hooks_called_from_a_signal_handler_are_recorded_or_counted():
    with folder() as d:
        status, truth, _ = host(d, "signals", 200000, OVH_CHUNK="16K")
        t = read(d)
        assert status == 0 and truth["handler"][0] > 10
        assert entered(t) + lost(t) == truth["main"][0] + truth["handler"][0], (entered(t), lost(t), truth)


def test_calls_in_destructors_of_threads_and_process():
    with folder() as d:
        status, truth, _ = host(d, "late")
        t = read(d)
        assert status == 0 and entered(t) == truth["calls"][0] and lost(t) == 0 and t.end


def test_a_span_left_by_longjmp_is_closed():
    with folder() as d:
        assert host(d, "jump")[0] == 0
        t = read(d)
        found = trace_reader.spans(t, 1)
        assert [s.step.name for s in found] == ["cudaLaunchHostFunc", "cudaDeviceSynchronize", "cudaLaunchHostFunc", "cudaDeviceSynchronize"]


def test_deeper_than_the_stack_that_is_kept():
    with folder() as d:
        assert host(d, "nest", 5000)[0] == 0
        t = read(d)
        assert entered(t) == 5002 and sum(e.what == "LEAVE" for e in t.events[1]) == 5002


if __name__ == "__main__":
    main()
