#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long does a Linear layer's forward keep the CPU busy, and how long the GPU?

Calls the layer many times without waiting for the GPU in between, and prints, per round, the time per call that the GPU took (between two
CUDA events) and that the CPU took (wall clock of the loop). Command line and printed lines are those of the benchmark in Transformer
Engine's public issue about te.Linear's CPU overhead, so that figures can be put side by side.

    python benchmark_linear_cpu_overhead.py --backend torch
    ovh-record --sim -- python benchmark_linear_cpu_overhead.py --backend torch       # on a machine without a GPU
"""
import argparse
import time

import torch


def arguments():
    p = argparse.ArgumentParser(description="Benchmark the CPU overhead of a Linear layer's forward.")
    p.add_argument("--hidden_size", type=int, default=2048, help="features in and out (%(default)s)")
    p.add_argument("--seq_length", type=int, default=8192, help="rows of the input (%(default)s)")
    p.add_argument("--warmup", type=int, default=500, help="calls before the first round (%(default)s)")
    p.add_argument("--timing_iters", type=int, default=500, help="calls per round (%(default)s)")
    p.add_argument("--num_rounds", type=int, default=3, help="rounds (%(default)s)")
    p.add_argument("--backend", choices=["torch", "te"], default="te", help="whose Linear (%(default)s)")
    return p.parse_args()


def linear(backend, size):
    """A bfloat16 Linear without bias on the GPU."""
    if backend == "torch":
        return torch.nn.Linear(size, size, bias=False).to(torch.bfloat16).cuda()
    import transformer_engine.pytorch as te  # only where it is asked for: it need not be installed

    return te.Linear(size, size, bias=False, device="cuda").to(torch.bfloat16)


def one_round(layer, x, calls):
    """Returns (GPU ms, CPU ms) of `calls` forwards in a row."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    cpu_begin = time.time()
    for _ in range(calls):
        layer(x)
    cpu_end = time.time()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end), (cpu_end - cpu_begin) * 1e3


def main():
    a = arguments()
    x = torch.randn((a.seq_length, a.hidden_size), dtype=torch.bfloat16, device="cuda", requires_grad=True)
    layer = linear(a.backend, a.hidden_size)
    for _ in range(a.warmup):
        layer(x)
    gpu, cpu = [], []
    for i in range(a.num_rounds):
        gpu_ms, cpu_ms = one_round(layer, x, a.timing_iters)
        gpu.append(gpu_ms)
        cpu.append(cpu_ms)
        print("Round %d/%d: GPU %.2f µs, CPU %.2f µs" % (i + 1, a.num_rounds, gpu_ms / a.timing_iters * 1e3, cpu_ms / a.timing_iters * 1e3))
    calls = a.num_rounds * a.timing_iters
    print("Average GPU time over %d rounds: %.2f µs" % (a.num_rounds, sum(gpu) / calls * 1e3))
    print("Average CPU time over %d rounds: %.2f µs" % (a.num_rounds, sum(cpu) / calls * 1e3))
    flop = 2 * a.hidden_size * a.hidden_size * a.seq_length * calls
    print("Estimated TFLOP/s: %.2f" % (flop / sum(gpu) / 1e9))


if __name__ == "__main__":
    main()
