#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The unit of work is found, in programs of every shape."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, names, report, run, step, timed
from tap import main
from synthetic import CUDART, LAUNCH, PYTHON, QUERY, SYNC, Trace


def loop(p, n, body, between=60):
    for _ in range(n):
        body()
        p.main.now += between


def test_a_loop_in_a_function_is_found_and_named_after_the_module():
    p = Program()
    main_, speed = p.trace.python("main", "/home/u/bench.py", 54), p.trace.python("speedometer", "/home/u/bench.py", 9)
    p.call(main_, 1000, lambda: p.call(p.device, 80), 500, lambda: p.call(speed, 100, lambda: loop(p, 200, p.linear), 100), 5)
    u = report(p.end())["unit"]
    assert (u["kind"], u["name"], u["called_as"]) == ("call", "Linear.forward", "Module._wrapped_call_impl")
    assert (u["called_from"], u["called_from_file"]) == ("speedometer", "/home/u/bench.py")
    assert u["file"].endswith("linear.py") and u["statistics"]["n"] == 200


def test_the_period_runs_from_start_to_start_and_the_last_call_has_its_own_duration():
    p = Program()
    loop(p, 100, p.linear, between=60)
    p.call(p.sync, 900)
    r = report(p.end(), "--units", "--warmup", "0")
    assert r["unit"]["unit_ns"] == [13800] * 99 + [13740]
    assert r["unit"]["wall_ns"] == 99 * 13800 + 13740
    assert step(r, "(between calls)") ["ns"] == 99 * 60 and r["unit"]["runs"] == 1


def test_of_nested_modules_the_outermost_is_the_unit():
    p = Program()
    loop(p, 60, lambda: p.in_module("Sequential.forward", 50, p.linear, 70, lambda: p.in_module("ReLU.forward", 30, p.launch_driver, 20), 80))
    r = report(p.end())
    assert r["unit"]["name"] == "Sequential.forward" and r["unit"]["statistics"]["n"] == 60
    assert r["unit"]["counts"]["launches"] == 2 * r["unit"]["statistics"]["counted"]
    assert {"Linear.forward", "ReLU.forward"} <= names(r)


def test_an_inline_loop_of_three_different_calls_is_one_step():
    p = Program()
    a, b, c = (p.trace.python(n) for n in ("forward_loss", "backward", "optimizer_step"))

    def body():
        p.call(a, 100, p.launch_driver, 10)
        p.main.now += 7
        p.call(b, 5000)
        p.main.now += 8
        p.call(c, 200, p.launch_driver, p.launch_driver, 20)
    loop(p, 40, body, between=11)
    r = report(p.end(), "--warmup", "0")
    u = r["unit"]
    assert (u["kind"], u["n_parts"], u["parts"]) == ("loop", 3, ["forward_loss", "backward", "optimizer_step"])
    assert u["name"] == "<module>" and u["statistics"]["n"] == 40
    assert u["statistics"]["median_ns"] == 100 + 4400 + 10 + 7 + 5000 + 8 + 200 + 8800 + 20 + 11
    assert step(r, "(between calls)")["ns"] == 40 * 15 + 39 * 11 and step(r, "backward")["ns"] == 40 * 5000


def test_a_step_with_an_interruption_now_and_then_stays_a_step():
    p = Program()
    train, log = p.trace.python("train_step"), p.trace.python("log")
    for i in range(100):
        p.call(train, 100, p.launch_driver, 10)
        p.main.now += 5
        if i % 10 == 9:
            p.call(log, 7777)
    u = report(p.end(), "--warmup", "0")["unit"]
    assert (u["kind"], u["name"], u["statistics"]["n"]) == ("call", "train_step", 100) and u["runs"] == 10
    assert u["statistics"]["max_ns"] == 4515, "what is between a unit and another call is not the unit's"


def test_two_modules_in_turn_are_one_step_of_two():
    p = Program()

    def body():
        p.linear("Linear.forward")
        p.main.now += 30
        p.in_module("LayerNorm.forward", 40, p.launch_driver, 10)
    loop(p, 50, body)
    u = report(p.end())["unit"]
    assert (u["kind"], u["parts"], u["statistics"]["n"]) == ("loop", ["Linear.forward", "LayerNorm.forward"], 50)


def test_hooked_calls_in_a_loop_without_functions_are_a_step():
    p = Program()
    fill = p.trace.python("fill")
    p.call(fill, 10, p.launch_driver, 10)
    for _ in range(80):
        p.call(p.device, 70)
        p.main.now += 20
        p.call(p.gemm, 1000, p.launch_driver, 500)
        p.main.now += 30
        p.call(p.device, 70)
        p.main.now += 40
    r = report(p.end(), "--warmup", "0")
    u = r["unit"]
    assert u["kind"] == "loop" and u["parts"] == ["cudaGetDevice", "cublasGemmEx", "cudaGetDevice"], u["parts"]
    assert u["statistics"]["n"] == 80 and u["statistics"]["median_ns"] == 70 + 20 + 1000 + 4400 + 500 + 30 + 70 + 40


def test_a_step_begins_where_the_loop_begins_whatever_was_launched_before():
    p = Program()
    zero, back = p.trace.python("zero_grad"), p.trace.python("backward")
    p.launch_driver()
    for i in range(40):
        p.call(zero, 100)
        p.call(p.device, 70)
        p.linear()
        p.launch_driver()
        p.call(back, 5000, p.launch_driver)
        p.launch_driver()
        if i % 8 == 7:
            p.call(p.sync, 40_000_000)
    u = report(p.end(), "--warmup", "0")["unit"]
    assert u["parts"] == ["zero_grad", "Linear.forward", "backward"] and u["n_parts"] == 6
    assert u["statistics"]["n"] == 40 and u["verdict"]["kind"] == "GPU-bound" and u["verdict"]["waits"] == 5


def test_without_repetition_there_is_no_unit_and_the_whole_run_is_shown():
    p = Program()
    a, b = p.trace.python("a"), p.trace.python("b")
    p.call(a, 100, p.launch_driver, 10)
    p.call(b, 100, p.launch_driver, 10)
    r = report(p.end())
    assert r["unit"] is None and r["why_no_unit"] == "no repetition"
    assert r["run"]["counts"]["launches"] == 2 and r["run"]["classes"]["driver"] == timed(8800, 2)


def test_a_program_without_python_has_a_sequence_of_calls_as_its_unit():
    p = Program(python=False)
    for _ in range(300):
        p.call(p.copy, 400)
        p.main.now += 50
        p.call(p.runtime, 900)
        p.main.now += 25
    r = report(p.end(), "--warmup", "0")
    u = r["unit"]
    assert (u["kind"], u["parts"], u["statistics"]["n"]) == ("loop", ["cudaMemcpyAsync", "cudaLaunchKernel"], 300)
    assert u["classes"] == {"cudart": timed(300 * 1300, 600), "other": timed(300 * 75 - 25, 0)}


def test_a_program_that_only_launches_has_the_launch_as_its_unit():
    p = Program(python=False)
    for _ in range(100):
        p.call(p.runtime, 300, lambda: p.call(p.driver, 500), 100)
        p.main.now += 10
    u = report(p.end(), "--warmup", "0")["unit"]
    assert (u["kind"], u["name"], u["called_as"]) == ("call", "cudaLaunchKernel", None)
    assert u["counts"]["launches"] == u["counts"]["runtime_launches"] == u["counts"]["driver_launches"] == 100
    assert u["counts"]["blind_launches"] == 0


def test_the_unit_is_the_python_threads_though_another_thread_launches_more():
    p = Program()
    worker, backward = p.trace.thread("pt_autograd_0"), p.trace.python("Tensor.backward")
    loss = p.trace.python("loss")

    def body():
        p.call(loss, 100, p.launch_driver, 10)
        start = p.main.now
        p.call(backward, 30000)
        worker.now = start + 1000
        for _ in range(3):
            worker.call(p.driver, 4000)
            worker.now += 500
    loop(p, 50, body)
    r = report(p.end(), "--warmup", "0")
    assert r["unit"]["parts"] == ["loss", "Tensor.backward"]
    assert r["unit"]["counts"]["launches"] == 50
    other = [t for t in r["run"]["threads"] if t["name"] == "pt_autograd_0"]
    assert len(other) == 1 and other[0]["launches"] == 150 and other[0]["classes"]["driver"] == timed(150 * 4000, 150)


def test_threads_of_one_name_are_one_row():
    p = Program()
    loop(p, 20, p.linear)
    for _ in range(3):
        t = p.trace.thread("worker")
        t.call(p.device, 70)
    r = report(p.end())
    assert [(t["name"], t["threads"]) for t in r["run"]["threads"]] == [("python", 1), ("worker", 3)]


def test_a_unit_can_be_named_by_the_end_of_its_name():
    p = Program()
    loop(p, 30, lambda: p.in_module("Sequential.forward", 50, p.linear, 70, p.linear, 80))
    for name, n in (("Linear.forward", 60), ("cublasGemmEx", 60), ("Sequential.forward", 30), ("forward", 30)):
        r = report(p.end() if name == "Linear.forward" else p.trace, "--unit", name, "--warmup", "0")
        assert r["unit"]["kind"] == "named" and r["unit"]["statistics"]["n"] == n, (name, r["unit"]["statistics"])
    r = report(p.trace, "--unit", "inear.forward", status=4)
    assert r["unit"] is None and r["why_no_unit"] == "no such name"
    assert "no recorded call is named inear.forward (" in run(p.trace, "--unit", "inear.forward")[1]


def test_units_in_a_named_frame_that_is_called_again_and_again():
    p = Program()
    loop(p, 25, lambda: p.in_module("Sequential.forward", 50, p.linear, 70, p.linear, 80))
    r = report(p.end(), "--unit", "Module._wrapped_call_impl", "--warmup", "0")
    assert r["unit"]["statistics"]["n"] == 25, "only the outermost count"
    r = report(p.trace, "--unit", "Linear.forward", "--units", "--warmup", "0")
    assert r["unit"]["unit_ns"] == [12740] * 50, "no unit reaches into the next instance of its frame"


def test_no_launches_no_python_no_events_are_said():
    p = Program()
    loop(p, 30, lambda: p.call(p.device, 70))
    assert report(p.end())["why_no_unit"] == "no launches"
    t = Trace()
    t.end()
    assert report(t)["why_no_unit"] == "no events"


def test_few_outer_rounds_do_not_hide_the_loop_inside():
    p = Program()
    train = p.trace.python("train_epoch")
    for _ in range(3):
        p.call(train, 100, lambda: loop(p, 50, p.linear), 10)
    assert report(p.end())["unit"]["name"] == "Linear.forward"


def test_rounds_of_a_benchmark_are_passed_by_but_not_the_steps_of_a_network():
    p = Program()
    one_round = p.trace.python("one_round")
    loop(p, 12, lambda: p.call(one_round, 100, lambda: loop(p, 120, p.linear), 10))
    assert report(p.end())["unit"]["name"] == "Linear.forward"
    p = Program()
    loop(p, 12, lambda: p.in_module("Sequential.forward", 10, lambda: loop(p, 48, p.linear), 10))
    assert report(p.end())["unit"]["name"] == "Sequential.forward"


if __name__ == "__main__":
    main()
