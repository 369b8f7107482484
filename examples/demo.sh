#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo: records PyTorch's nn.Linear under libovh.so and shows the report. On a GPU where there is one, else on the simulated device;
# with the PyTorch that is installed, else with one from PyPI in build/venv-torch (which `make test` uses too); where neither is to be
# had, a program without PyTorch. OUT: the folder of the built tools. PYTHON: a Python to take instead.
set -eu
mkdir -p build/demo
trace=build/demo/trace.bin
say() { printf '\n== %s\n' "$*"; }
run() {
    printf '$ %s\n' "$*"
    "$@"
}

# A PyTorch built for CUDA, found without importing it (which may fail where CUDA's libraries are missing).
has_torch() {
    "$1" - 2>/dev/null <<'PYTHON'
import importlib.util, os, sys
spec = importlib.util.find_spec("torch")
version = {}
exec(open(os.path.join(os.path.dirname(spec.origin), "version.py")).read(), version)
sys.exit(0 if version.get("cuda") else 1)
PYTHON
}
has_gpu() { "$1" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; }

python=${PYTHON:-python3}
if ! has_torch "$python"; then
    say "no PyTorch for CUDA in $python: one goes into build/venv-torch"
    python=build/venv-torch/bin/python
    scripts/torch_venv.sh build/venv-torch 2.11.0 || python=
fi
if [ -n "$python" ]; then
    set -- "$python" examples/benchmark_linear_cpu_overhead.py --backend torch
else
    say "no PyTorch and no registry to fetch it from: a program without PyTorch instead (examples/linear_without_torch.py)"
    set -- python3 examples/linear_without_torch.py
fi

if [ -n "$python" ] && [ -e /dev/nvidiactl ] && has_gpu "$python"; then
    say "torch.nn.Linear on this machine's GPU, recorded"
    run "$OUT/ovh-record" -o "$trace" -- "$@"
else
    say "recorded on the simulated device: the host's work is real, the GPU's is not"
    run "$OUT/ovh-record" --sim -o "$trace" -- "$@"
fi
say "the report"
run "$OUT/ovh-report" "$trace"
