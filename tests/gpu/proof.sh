#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The proof on a machine with a GPU: ovh against the real CUDA libraries, the benchmark's own print, and CUPTI's count.
#
#   tests/gpu/proof.sh RESULTS [STEP ...]      steps: machine linear te turns sim others (all, when none is named)
#
# Needs libovh.so, ovh-report, ovh-record, build/*/sim and build/*/libovh-twin.so built, and a python3 with PyTorch. Optional:
#   OVH_SEED=FILE     another benchmark script with the same command line (examples/benchmark_linear_cpu_overhead.py)
#   OVH_TE=FOLDER     PYTHONPATH where Transformer Engine lies
#   OVH_TURNS=FILE    the script that compares processes taking turns; OVH_ROUNDS, OVH_TE_SETS: how long
set -u
results=$(mkdir -p "$1" && cd "$1" && pwd); shift
steps=${*:-machine linear te turns sim others}
here=$(cd "$(dirname "$0")/../.." && pwd)
seed=${OVH_SEED:-$here/examples/benchmark_linear_cpu_overhead.py}
preload=$here/libovh.so
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -z "${OVH_TE:-}" ] || export PYTHONPATH=$OVH_TE
cd "$tmp" || exit 1

machine() {
    {
        date -u +%Y-%m-%d
        grep -m1 'model name' /proc/cpuinfo; nproc; uname -sr
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
        python3 -c 'import sys, torch; print("Python", sys.version.split()[0], "torch", torch.__version__, "CUDA", torch.version.cuda)'
        python3 -c 'import cupy, triton, jax; print("CuPy", cupy.__version__, "Triton", triton.__version__, "JAX", jax.__version__)' 2>/dev/null
        ldd --version | head -1
    } > "$results/machine.txt"
    cat "$results/machine.txt"
    gcc -O2 -fPIC -shared -I/usr/local/cuda/include -o "$tmp/cupti_count.so" "$here/tests/gpu/cupti_count.c" \
        -L/usr/local/cuda/lib64 -lcupti -Wl,-rpath,/usr/local/cuda/lib64 -Wl,-rpath,/usr/local/cuda/extras/CUPTI/lib64
}

# count NAME COMMAND...: the same program once with the preload and CUPTI's counter; both counts on one line.
count() {
    local name=$1; shift
    rm -f "$tmp/$name.bin"
    OVH_OUT="$tmp/$name.bin" LD_PRELOAD=$preload CUDA_INJECTION64_PATH=$tmp/cupti_count.so CUPTI_COUNT_OUT=$tmp/$name.cupti \
        "$@" > "$tmp/$name.out" 2>&1 || { echo "$name: the program failed"; tail -5 "$tmp/$name.out"; }
    python3 - "$name" "$tmp/$name.cupti" <<PY
import subprocess, sys
name, cupti = sys.argv[1:]
try: counted = open(cupti).read().split()
except OSError: counted = ["cupti", "launches", "?", "graphs", "?"]
dump = subprocess.Popen(["$here/ovh-report", "--dump", "$tmp/" + name + ".bin"], stdout=subprocess.PIPE, text=True, errors="replace")
seen = {}
names = ("cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernel",
         "cuLaunchCooperativeKernel_ptsz", "cuGraphLaunch", "cuGraphLaunch_ptsz")
for line in dump.stdout:
    if " enter " in line:
        word = line.split()[-1].strip('"')
        if word in names: seen[word] = seen.get(word, 0) + 1
kernels = sum(n for k, n in seen.items() if "Graph" not in k)
graphs = sum(n for k, n in seen.items() if "Graph" in k)
print(f"{name}: kernel launches: ovh {kernels}, CUPTI {counted[2]}; graph launches: ovh {graphs}, CUPTI {counted[4]}  {seen}")
PY
}

# bench NAME COMMAND...: the benchmark under the preload; its print beside the report's figures.
bench() {
    local name=$1; shift
    rm -f "$tmp/$name.bin"
    "$@" > "$results/$name.none.txt" 2>&1
    OVH_OUT="$tmp/$name.bin" LD_PRELOAD=$preload "$@" > "$results/$name.ovh.txt" 2>&1 || tail -5 "$results/$name.ovh.txt"
    ls -l "$tmp/$name.bin"
    "$here/ovh-report" "$tmp/$name.bin" > "$results/$name.report.txt" 2>&1
    "$here/ovh-report" --format json "$tmp/$name.bin" > "$results/$name.report.json" 2>/dev/null
    "$here/ovh-report" --tree "$tmp/$name.bin" > "$results/$name.tree.txt" 2>&1
    "$here/ovh-report" --timeline "$tmp/$name.bin" > "$results/$name.timeline.txt" 2>&1
    "$here/ovh-report" --verify "$tmp/$name.bin" | tail -3
    echo "-- $name, no ovh:"; grep Average "$results/$name.none.txt"
    echo "-- $name, under ovh:"; grep -E 'Round|Average' "$results/$name.ovh.txt"
    head -45 "$results/$name.report.txt"
}

linear() {
    bench linear-torch python3 "$seed" --backend torch
    count linear-torch-count python3 "$seed" --backend torch
}
te() {
    [ -n "${OVH_TE:-}" ] || { echo "te: OVH_TE is not set"; return; }
    bench linear-te python3 "$seed" --backend te
    count linear-te-count python3 "$seed" --backend te
}
turns() {
    [ -n "${OVH_TURNS:-}" ] || { echo "turns: OVH_TURNS is not set"; return; }
    python3 "$OVH_TURNS" -w torch_linear -v none: -v again: -v "twin:LD_PRELOAD=$(ls "$here"/build/x86_64/libovh-twin.so)" \
        -v "ovh:LD_PRELOAD=$preload,OVH_OUT=$tmp/turns.bin" -s 6 -r ${OVH_ROUNDS:-60} --json "$results/turns-torch.json" | tee "$results/turns-torch.txt"
    [ -n "${OVH_TE:-}" ] || return
    python3 "$OVH_TURNS" -w te_linear -v none: -v again: -v "ovh:LD_PRELOAD=$preload,OVH_OUT=$tmp/turns.bin" \
        -s ${OVH_TE_SETS:-6} -r ${OVH_ROUNDS:-60} --json "$results/turns-te.json" | tee "$results/turns-te.txt"
}
sim() {
    local script=$here/examples/benchmark_linear_cpu_overhead.py
    bench example-torch python3 "$script" --backend torch
    "$here/ovh-record" --sim -o "$tmp/sim.bin" -- python3 "$script" --backend torch > "$results/sim-torch.out.txt" 2>&1
    tail -3 "$results/sim-torch.out.txt"
    "$here/ovh-report" "$tmp/sim.bin" > "$results/sim-torch.report.txt" 2>&1
    "$here/ovh-report" --format json "$tmp/sim.bin" > "$results/sim-torch.report.json" 2>/dev/null
    head -40 "$results/sim-torch.report.txt"
}
others() {
    count torch-step python3 "$here/tests/gpu/torch_step.py"
    count torch-graph python3 "$here/tests/gpu/torch_graph.py"
    count cupy-matmul python3 -c 'import cupy
a = cupy.random.rand(256, 256).astype(cupy.float32)
for _ in range(100): b = cupy.matmul(a, a)
cupy.cuda.Device().synchronize(); print(float(b.sum()) > 0)'
    count triton python3 "$here/tests/gpu/triton_add.py"
    count jax python3 -c 'import jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.sin(x) @ x)
x = jnp.ones((64, 64))
for _ in range(50): y = f(x)
print(float(y.sum()) > 0)'
    for n in torch-step torch-graph cupy-matmul triton jax; do echo "$n printed: $(tail -1 "$tmp/$n.out")"; done
}
for s in $steps; do
    echo "==== $s"
    $s 2>&1 | tee "$results/$s.log"
done
