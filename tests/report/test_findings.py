#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Findings: for every rule a program that has it, and a twin that does the same work without it and has none."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import TORCH, Program, report, run
from tap import main
from synthetic import ALLOC, CAPTURE, CUBLASLT, CUDART, DRIVER, EVENT, FREE, GRAPH, HEURISTIC, LOOKUP, MODULE, NATIVE, PLAIN, QUERY, SET, SYNC


def program(*body, n=100, first=()):
    """A module of the user's own with `body` (functions of the Program) in its forward, and one launch; `first` once before."""
    p = Program()
    p.forwards["Own.forward"] = p.trace.python("Own.forward", "/home/u/own.py", 20)
    for part in first:
        part(p)
    for _ in range(n):
        p.in_module("Own.forward", 500, *[lambda part=part: part(p) for part in body],
                    lambda: p.call(p.gemm, 3000, p.launch_driver, 3600), 800)
        p.main.now += 60
    return p.end()


steps = {}


def hooked(name, class_, kind, ns, times=1):
    def play(p):
        key = (id(p), name)
        if key not in steps:
            steps[key] = (p, p.trace.hooked(name, class_, kind))  # the program is kept: its id stays its own
        for _ in range(times):
            p.call(steps[key][1], ns)
    return play


def python(name, file, ns, *inside, times=1):
    def play(p):
        key = (id(p), name)
        if key not in steps:
            steps[key] = (p, p.trace.python(name, file, 7))
        for _ in range(times):
            p.call(steps[key][1], ns, *[lambda part=part: part(p) for part in inside])
    return play


def native(name, *inside):
    def play(p):
        key = (id(p), name)
        if key not in steps:
            steps[key] = (p, p.trace.step(name, NATIVE, PLAIN, "", 0))
        p.call(steps[key][1], 300, *[lambda part=part: part(p) for part in inside])
    return play


def found(trace, *options):
    return {f["id"]: f for f in report(trace, *options)["unit"]["findings"]}


def only(rule, trace, calls, ns, wait=0):
    f = found(trace)
    assert set(f) == {rule}, f
    n = report(trace)["unit"]["statistics"]["counted"]
    assert (f[rule]["calls"], f[rule]["ns"], f[rule]["wait_ns"]) == (calls * n, ns * n, wait * n), f
    return f[rule]


def none(*traces):
    for trace in traces:
        assert found(trace) == {}, found(trace)


def test_heuristic_on_every_call():
    ask = hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC, 1260)
    f = only("heuristic-on-every-call", program(ask), 1, 1260)
    assert f["places"][0]["name"] == "Own.forward" and f["places"][0]["file"] == "/home/u/own.py"
    none(program(first=[ask]))


def test_device_asked_again():
    ask = hooked("cudaGetDevice", CUDART, QUERY, 72, times=14)
    only("device-asked-again", program(ask), 14, 14 * 72)
    none(program(hooked("cudaGetDevice", CUDART, QUERY, 72, times=4)))
    none(program(hooked("cudaEventQuery", CUDART, QUERY, 72, times=14)))


def test_device_set_again():
    only("device-set-again", program(hooked("cudaSetDevice", CUDART, SET, 150, times=4)), 4, 600)
    none(program(hooked("cudaSetDevice", CUDART, SET, 150)))


def test_device_context():
    enter = python("device.__enter__", TORCH + "cuda/__init__.py", 900, hooked("cudaSetDevice", CUDART, SET, 150))
    leave = python("device.__exit__", TORCH + "cuda/__init__.py", 700)
    only("device-context", program(enter, leave), 2, 900 + 150 + 700)
    none(program(first=[enter, leave]))
    none(program(python("device.__enter__x", "/home/u/own.py", 900), python("my_device.__exit__", "/home/u/own.py", 900)))


def test_lookup_on_hot_path():
    for name, class_, kind in (("cudaGetDeviceProperties_v2", CUDART, LOOKUP), ("cudaGetDriverEntryPoint", CUDART, LOOKUP),
                               ("cuModuleGetFunction", DRIVER, MODULE)):
        look = hooked(name, class_, kind, 2000)
        f = only("lookup-on-hot-path", program(look), 1, 2000)
        assert f["step"] == name
        none(program(first=[look]))


def test_allocation_on_hot_path():
    both = hooked("cudaMalloc", CUDART, ALLOC, 5000), hooked("cudaFree", CUDART, FREE, 4000)
    only("allocation-on-hot-path", program(*both), 2, 9000)
    none(program(first=both))
    none(program(hooked("cudaMallocAsync", CUDART, ALLOC, 500), hooked("cudaFreeAsync", CUDART, FREE, 500)))


def test_event_created_on_every_call():
    both = hooked("cudaEventCreateWithFlags", CUDART, EVENT, 800), hooked("cudaEventDestroy", CUDART, EVENT, 700)
    only("event-created-on-every-call", program(*both), 2, 1500)
    none(program(hooked("cudaEventRecord", CUDART, EVENT, 500), first=both))


def test_graph_captured_again():
    begin = hooked("cudaStreamBeginCapture", CUDART, CAPTURE, 1500)
    end = hooked("cudaStreamEndCapture", CUDART, CAPTURE, 2500)
    make = hooked("cudaGraphInstantiate", CUDART, GRAPH, 6000)
    drop = hooked("cudaGraphDestroy", CUDART, GRAPH, 900)
    only("graph-captured-again", program(begin, end, make), 3, 10000)
    only("graph-captured-again", program(native("torch._C._CUDAGraph.capture_end", end), begin), 2, 4000)
    none(program(first=[begin, end, make]), program(drop))


def test_synchronises():
    """with the line of Python, and waiting apart from the host's work"""
    item = python("read_loss", "/home/u/train.py", 300, hooked("cudaStreamSynchronize", CUDART, SYNC, 9000))
    f = only("synchronises", program(item), 1, 0, wait=9000)
    assert f["places"][0]["name"] == "read_loss" and f["places"][0]["file"] == "/home/u/train.py"
    none(program(first=[item]))


def test_module_setattr():
    set_ = python("Module.__setattr__", TORCH + "nn/modules/module.py", 1000, times=6)
    only("module-setattr", program(set_), 6, 6000)
    none(program(python("Own.__setattr__", "/home/u/own.py", 1000, times=6)), program(first=[set_]))


def test_module_getattr():
    get = python("Module.__getattr__", TORCH + "nn/modules/module.py", 300, times=9)
    only("module-getattr", program(get), 9, 2700)
    none(program(python("Module.__getattr__", TORCH + "nn/modules/module.py", 300, times=2)))


def test_walks_parameters():
    """what is inside, is in it, and is counted once"""
    walk = python("Module.parameters", TORCH + "nn/modules/module.py", 500, python("Module.named_parameters", TORCH + "nn/modules/module.py", 2500))
    only("walks-parameters", program(walk), 1, 3000)
    none(program(first=[walk]))


def test_autograd_arguments():
    walk = lambda n: python("unwrap_dead_wrappers", TORCH + "_functorch/utils.py", 500,
                            *[python("unwrap_dead_wrappers.<locals>.<genexpr>", TORCH + "_functorch/utils.py", 200)] * (n + 2))
    f = only("autograd-arguments", program(walk(36)), 38, 7600)
    assert f["places"][0]["name"] == "unwrap_dead_wrappers", f
    only("autograd-arguments", program(walk(16)), 18, 3600)
    none(program(walk(15)), program(first=[walk(36)]))


def test_contextmanager():
    parts = [python("_GeneratorContextManager." + x, "/usr/lib/python3.11/contextlib.py", 400) for x in ("__enter__", "__exit__")]
    parts.append(python("contextmanager.<locals>.helper", "/usr/lib/python3.11/contextlib.py", 400))
    only("contextmanager", program(*parts), 3, 1200)
    none(program(first=parts))


def test_operators_of_torch_are_left_alone():
    """what torch's own Linear and its C functions do, nobody else can change"""
    p = Program()
    heuristic = p.trace.hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC)
    for _ in range(100):
        p.in_module("Linear.forward", 500, *[lambda: p.call(p.device, 70)] * 12, lambda: p.call(heuristic, 1260), p.launch_driver, 800)
        p.main.now += 60
    none(p.end())
    p = Program()
    heuristic = p.trace.hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC)
    native = p.trace.step("torch._C._nn.linear", NATIVE, PLAIN, "", 0)
    own = p.trace.python("Own.forward", "/home/u/own.py", 20)
    for _ in range(100):
        p.call(own, 500, lambda: p.call(native, 300, lambda: p.call(heuristic, 1260), p.launch_driver), 800)
        p.main.now += 60
    none(p.end())


def test_what_does_not_pay_is_not_printed():
    cheap = program(hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC, 50))
    assert found(cheap) == {} and set(found(cheap, "--findings", "0.1%")) == {"heuristic-on-every-call"}
    dear = program(hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC, 1260))
    assert found(dear, "--findings", "50") == {}
    code, out, err = run(dear, "--findings", "many")
    assert code == 2 and "not a share" in err


def test_text():
    code, out, err = run(program(hooked("cublasLtMatmulAlgoGetHeuristic", CUBLASLT, HEURISTIC, 1260)))
    assert re.search(r"^  easy wins$\n   - a matrix product's algorithm is looked for again on every call: 1\.26 us/call, 1 calls \(cublasLtMatmulAlgoGetHeuristic\)\n"
                     r"       1\.26 us, 1 calls from Own\.forward \(own\.py:20\)\n     keep the answer", out, re.M), out
    code, out, err = run(program())
    assert "  easy wins: none found\n" in out


if __name__ == "__main__":
    main()
