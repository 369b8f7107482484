#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times and counts agree with the truth to the ns; what the GPU did is said from evidence only."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, report, step
from tap import main
from synthetic import (ALLOC, CAPTURE, CUBLASLT, CUDART, DRIVER, HEURISTIC, LAUNCH, QUERY, R_AT, R_COPY, R_GC, R_MEMORY, R_OFF_CPU, R_TIME,
                       R_WINDOW, SYNC, low_high)


def classes(u):
    return {k: v["ns"] for k, v in u["classes"].items()}


def times(n, d):
    return {k: n * v for k, v in d.items()}


def linears(p, n, between=60, body=None):
    for _ in range(n):
        (body or p.linear)()
        p.main.now += between


def test_classes_steps_and_counts_of_torchs_linear():
    p = Program()
    linears(p, 500)
    r = report(p.end(), "--warmup", "100")
    u = r["unit"]
    between = 400 * 60 - 60
    assert classes(u) == {**times(400, Program.LINEAR), "python": 400 * 2600 + between}
    assert u["wall_ns"] == 400 * 13740 + between
    assert (step(r, "cublasGemmEx")["ns"], step(r, "cublasGemmEx")["calls"]) == (400 * 6600, 400)
    assert (step(r, "cudaGetDevice")["ns"], step(r, "cudaGetDevice")["calls"]) == (400 * 140, 800)
    assert step(r, "Module._call_impl")["ns"] == 400 * 600 and step(r, "Linear.forward")["ns"] == 400 * 1600
    c = u["counts"]
    assert (c["launches"], c["driver_launches"], c["runtime_launches"], c["gemms"], c["syncs"]) == (400, 400, 0, 400, 0)
    assert r["run"]["counts"]["launches"] == 500
    assert r["kernels"] == [{"name": "gemm_128x128", "demangled": "gemm_128x128", "launches": 500, "unit_launches": 400}]


def test_units_that_lie_across_chunks_lose_nothing():
    p = Program()
    linears(p, 5000)
    assert len(p.main.chunks) > 3
    u = report(p.end(), "--warmup", "0")["unit"]
    assert u["statistics"]["n"] == 5000 and u["wall_ns"] == 5000 * 13800 - 60
    assert classes(u) == {**times(5000, Program.LINEAR), "python": 5000 * 2660 - 60}


def test_warmup_is_found_and_left_out():
    """Warm-up is found, to a fortieth of the run, and left out"""
    p = Program()
    for i in range(60):
        p.linear(gemm=300_000 if i == 0 else 40_000)
        p.main.now += 60
    linears(p, 600)
    s = report(p.end())["unit"]["statistics"]
    assert 60 <= s["warmup"] < 60 + 660 // 40 and s["min_ns"] == 13740 and s["max_ns"] == 13800, s


def test_pauses_stand_apart():
    p = Program()
    for i in range(400):
        p.linear(gemm=1_000_000 if i in (150, 290) else 3000)
        p.main.now += 60
    p.call(p.device, 5)
    u = report(p.end(), "--warmup", "0")["unit"]
    s = u["statistics"]
    assert (s["pauses"], s["counted"], s["pauses_ns"]) == (2, 398, 2 * 1_010_800)
    assert s["p99_ns"] == 13800 and u["classes"]["cublas"]["ns"] == 398 * 6600, "their time is in no class of the table"


def test_two_modes_are_not_pauses():
    p = Program()
    for i in range(300):
        p.linear(gemm=200_000 if i % 10 == 0 else 3000)
        p.main.now += 60
    s = report(p.end(), "--warmup", "0")["unit"]["statistics"]
    assert s["pauses"] == 0 and s["p90_ns"] == 13800 and s["p99_ns"] == 210800


def test_a_driver_launch_inside_a_runtime_launch_is_one_launch():
    p = Program()
    f = p.trace.python("f")
    linears(p, 50, 10, lambda: p.call(f, 10, lambda: p.call(p.runtime, 100, lambda: p.call(p.driver, 300, p.main.launch), 50), 5))
    c = report(p.end(), "--warmup", "0")["unit"]["counts"]
    assert (c["launches"], c["runtime_launches"], c["driver_launches"], c["blind_launches"]) == (50, 50, 50, 0)


def test_captured_launches_and_graphs_are_told_apart():
    p = Program()
    f, graph = p.trace.python("replay"), p.trace.hooked("cudaGraphLaunch", CUDART, LAUNCH)

    def body():
        p.call(f, 10, lambda: p.launch_driver(flags=1), lambda: p.launch_driver(flags=1), lambda: p.call(graph, 500, lambda: p.main.launch(0, 2)), 5)
    linears(p, 40, 10, body)
    c = report(p.end(), "--warmup", "0")["unit"]["counts"]
    assert (c["captured"], c["graphs"], c["launches"]) == (80, 40, 40), c


def test_allocations_copies_and_heuristics_are_counted_once():
    p = Program()
    f = p.trace.python("f")
    malloc, mem = p.trace.hooked("cudaMalloc", CUDART, ALLOC), p.trace.hooked("cuMemAlloc_v2", DRIVER, ALLOC)
    look = p.trace.hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC)
    bytes_ = [*low_high(4096), *low_high(0x7000), *low_high(0)]

    def allocate():
        p.call(malloc, 10, lambda: p.call(mem, 50, lambda: p.main.record(R_MEMORY, 1, *bytes_)), 5, lambda: p.main.record(R_MEMORY, 1, *bytes_))

    def body():
        p.call(f, 10, allocate, lambda: p.call(look, 1260), p.launch_driver,
               lambda: p.call(p.copy, 700, lambda: p.main.record(R_COPY, 0x101, *low_high(1 << 33), *low_high(0))), 5)
    linears(p, 30, 10, body)
    c = report(p.end(), "--warmup", "0")["unit"]["counts"]
    assert (c["allocations"], c["allocated_bytes"], c["heuristics"]) == (30, 30 * 4096, 30)
    assert (c["copies"], c["copied_bytes"]["h2d"], c["copied_bytes"]["d2h"]) == (30, 30 << 33, 0)


def test_time_in_and_below_a_synchronisation_is_waiting():
    p = Program()
    item, inner = p.trace.python("item"), p.trace.hooked("cuCtxSynchronize", DRIVER, SYNC)

    def body():
        p.call(item, 100, p.launch_driver, lambda: p.call(p.sync, 50, lambda: p.call(inner, 20000), 30), 10)
    linears(p, 50, 10, body)
    r = report(p.end(), "--warmup", "0")
    u = r["unit"]
    assert classes(u) == {"python": 50 * 120 - 10, "driver": 50 * 4400, "wait": 50 * 20080}
    assert u["counts"]["syncs"] == 50 and u["verdict"]["kind"] == "blocked by synchronisation"
    assert u["verdict"]["wait_ns"] == 20080 and u["verdict"]["gpu_ns_from_waits"] is None


def rounds(p, wait, us=None, n=100):
    for _ in range(4):
        p.call(p.sync, 500)
        p.record_event(1)
        linears(p, n)
        p.record_event(2)
        p.call(p.sync, wait)
        if us:
            p.ask_elapsed(us)
            p.ask_elapsed(us * 7)  # about which events cannot be told: must not count


def test_a_long_wait_behind_the_units_tells_the_gpus_time():
    p = Program()
    rounds(p, 100 * 50_000, us=6400.0)
    v = report(p.end(), "--warmup", "0")["unit"]["verdict"]
    busy = 100 * 13800 - 60 + 60 + 800  # first start to the wait's begin, the event between
    assert v["kind"] == "GPU-bound" and v["waits"] == 4 and v["waits_ended_at_once"] == 0
    assert v["gpu_ns_from_waits"] == (busy + 5_000_000) / 100
    assert abs(v["event_ns"] - 64_000) < 1 and v["event_units"] == 400


def test_a_wait_that_ends_at_once_says_host_bound_and_no_gpu_time():
    p = Program()
    rounds(p, 5_000)
    v = report(p.end(), "--warmup", "0")["unit"]["verdict"]
    assert (v["kind"], v["gpu_ns_from_waits"], v["waits_ended_at_once"]) == ("host-bound", None, 4)


def test_without_evidence_the_gpus_time_is_not_known():
    p = Program()
    linears(p, 100)
    v = report(p.end())["unit"]["verdict"]
    assert (v["kind"], v["gpu_ns_from_waits"], v["event_ns"], v["waits"]) == ("not known", None, None, 0)


def test_launches_that_block_are_waiting():
    p = Program()
    f, count = p.trace.python("f"), [0]

    def body():
        count[0] += 1
        p.call(f, 100, lambda: p.launch_driver(2000, 2400 if count[0] <= 1024 else 90_000), 10)
    linears(p, 2048, 10, body)
    r = report(p.end(), "--warmup", "1024")
    u = r["unit"]
    blocked = step(r, "(launch queue full)")
    assert u["verdict"]["kind"] == "back-pressure" and blocked["class"] == "wait"
    assert u["counts"]["blocked"] == blocked["calls"] == 1024
    usual = step(r, "cuLaunchKernelEx")["ns"] / 1024
    assert 4400 <= usual <= 4400 * 1.25, "a usual launch is known to a quarter of a power of two"
    assert step(r, "cuLaunchKernelEx")["ns"] + blocked["ns"] == 1024 * 92_000


def test_a_single_slow_launch_is_no_back_pressure():
    p = Program()
    f, count = p.trace.python("f"), [0]

    def body():
        count[0] += 1
        p.call(f, 100, lambda: p.launch_driver(2000, 90_000 if count[0] % 100 == 0 else 2400), 10)
    linears(p, 1000, 10, body)
    u = report(p.end(), "--warmup", "0")["unit"]
    assert u["counts"]["blocked"] == 0 and "wait" not in u["classes"]


def test_garbage_collection_and_off_cpu_time_stand_apart():
    p = Program()
    f = p.trace.python("f")

    def collect(end):
        p.main.record(R_GC, 2 | (0x8000 if end else 0), *low_high(p.main.now))

    def body():
        p.call(f, 100, lambda: collect(False), 1000, lambda: p.call(p.device, 70), 500, lambda: collect(True), 200, p.launch_driver,
               lambda: p.main.record(R_OFF_CPU, 1, *low_high(150), 1, 0), 10)
    linears(p, 50, 10, body)
    r = report(p.end(), "--warmup", "0")
    assert classes(r["unit"]) == {"python": 50 * 170 - 10, "gc": 50 * 1500, "cudart": 50 * 70, "driver": 50 * 4400, "off-cpu": 50 * 150}
    assert step(r, "(garbage collector)")["calls"] == 50


def test_no_unit_reaches_over_a_stop_of_the_recording():
    for python in (True, False):
        p = Program(python=python)
        for window in range(3):
            if window:
                p.main.record(R_WINDOW, 0xFFFF, window, *low_high(p.main.now), 2)
                p.main.now += 1_000_000
                p.main.record(R_TIME, 0, *low_high(p.main.now))
                p.main.last = p.main.now
                p.main.record(R_WINDOW, 2, window + 1, *low_high(p.main.now), 2)
                p.main.snapshot(p.main.open)
            for i in range(50):
                p.call(p.runtime, 900)
                p.main.now += 100
                if i == 20:  # a change of level without a stop
                    p.main.record(R_WINDOW, 1, 7, *low_high(p.main.now), 3)
        r = report(p.end(), "--units", "--warmup", "0")
        assert sorted(r["unit"]["unit_ns"]) == [900] * 3 + [1000] * 147
        assert r["run"]["threads"][0]["recorded_ns"] == (150_010 if python else 149_900), "up to each stop, or the last event"


def test_a_finaliser_run_by_the_collector_has_its_own_time():
    p = Program()
    f, finaliser = p.trace.python("f"), p.trace.python("__del__")

    def collect(end):
        p.main.record(R_GC, 2 | (0x8000 if end else 0), *low_high(p.main.now))
    linears(p, 50, 10, lambda: p.call(f, 100, lambda: collect(False), 1000, lambda: p.call(finaliser, 300, lambda: p.call(p.sync, 50)), 500,
                                      lambda: collect(True), p.launch_driver, 10))
    r = report(p.end(), "--warmup", "0")
    assert classes(r["unit"]) == {"python": 50 * (110 + 300 + 10) - 10, "gc": 50 * 1500, "wait": 50 * 50, "driver": 50 * 4400}


def test_a_python_exception_and_a_longjmp_keep_the_books():
    p = Program()
    f, g = p.trace.python("f"), p.trace.python("g")

    def thrown():
        p.main.enter(g)
        p.main.enter(p.device)
        p.main.now += 300
        p.main.unwind(2)
    linears(p, 40, 10, lambda: p.call(f, 100, thrown, 50, lambda: p.call(g, 40, failed=True), p.launch_driver, 10))
    r = report(p.end(), "--warmup", "0")
    assert r["quality"]["unwound"] == 80 and not r["quality"]["degraded"]
    assert step(r, "g")["calls"] == 80 and r["unit"]["wall_ns"] == 40 * (100 + 300 + 50 + 40 + 4400 + 10 + 10) - 10


def test_calls_open_at_a_kill_are_incomplete_and_no_unit():
    p = Program()
    linears(p, 30)
    p.main.enter(p.wrapped)
    p.main.now += 100
    p.main.enter(p.device)
    p.main.now += 50
    r = report(p.trace, "--warmup", "0", status=4, sealed=False)
    assert r["quality"]["incomplete"] == 2 + 1 and not r["quality"]["ended"]  # with the module's frame
    assert r["unit"]["statistics"]["n"] == 30
    assert r["unit"]["wall_ns"] == 29 * 13800 + 13740, "the open call is another one"


def test_frames_open_at_an_orderly_end_are_no_loss():
    p = Program()
    linears(p, 30)
    p.trace.end()
    r = report(p.trace)
    assert r["quality"]["open_frames"] == 1 and not r["quality"]["degraded"]


def test_steps_without_a_definition_are_counted():
    p = Program()
    linears(p, 30, body=lambda: p.call(p.wrapped, 10, lambda: p.call(4000, 70), p.launch_driver, 5))
    r = report(p.end(), "--warmup", "0", status=4)
    assert r["quality"]["unresolved"] == 30 and step(r, "(unknown step)")["ns"] == 30 * 70


def test_lost_events_are_told():
    p = Program()
    linears(p, 30)
    p.main.record(8, 2, *low_high(12))
    r = report(p.end(), status=4)
    assert r["quality"]["lost"] == 12 and r["quality"]["degraded"]


def test_losses_of_the_process_are_told():
    p = Program()
    linears(p, 30)
    for count in (3, 9):  # the last of a reason and place counts
        p.trace.define(11, struct.pack("<IIQ", 5, 0, count) + b"libcudart.so.13\0")
    assert report(p.end(), status=4)["quality"]["lost"] == 9


def test_a_hooked_call_tells_the_line_it_was_called_from():
    p = Program()
    f = p.trace.python("f", "/x/f.py", 10)
    # CPython 3.11: entries of 2 code units; line +0, +1 (code 11), +1
    table = bytes([0x80 | 10 << 3 | 1, 0, 0x80 | 11 << 3 | 1, 0, 0, 0x80 | 11 << 3 | 1, 0, 0])
    p.trace.define(7, struct.pack("<IIII", f, 3, 10, len(table)) + table)
    linears(p, 30, 10, lambda: p.call(f, 10, lambda: p.main.record(R_AT, 2), lambda: p.call(p.device, 70),
                                      lambda: p.main.record(R_AT, 4), p.launch_driver, 5))
    r = report(p.end())
    assert (step(r, "cudaGetDevice")["caller_file"], step(r, "cudaGetDevice")["caller_line"]) == ("/x/f.py", 11)
    assert step(r, "cuLaunchKernelEx")["caller_line"] == 12


if __name__ == "__main__":
    main()
