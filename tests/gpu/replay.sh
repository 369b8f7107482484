#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Real against simulated, on a machine with a GPU: torch.nn.Linear and te.Linear for real, with --sim, and with --sim --costs of that real
# run, in turns. Prints Python and native us per call of each, medians over the rounds, and te : torch.
#
#   tests/gpu/replay.sh RESULTS
#
# Needs ovh-record, ovh-report, build/*/sim built and a python3 with PyTorch.
#   OVH_TE=FOLDER     PYTHONPATH where Transformer Engine lies; without it: torch alone
#   OVH_PYTHON=FILE   the Python, else python3
#   OVH_REAL=FOLDER   linear-torch.costs.txt and linear-te.costs.txt there in place of real runs: for a machine without a GPU
#   OVH_ROUNDS=3  OVH_TOUCH="0 4K 16K"    how long, and which OVH_SIM_TOUCH to try
#   OVH_LIMIT=140     seconds; no run begins after it
set -u
results=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
python=${OVH_PYTHON:-python3}
script=$here/examples/benchmark_linear_cpu_overhead.py
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export OVH_SIM_RETURNS=cudnnGetVersion=91900 OVH_DETAIL=2
: > "$results/replay.runs"

# one WHAT BACKEND OPTION...: one run; a line of its figures.
one() {
    local what=$1 backend=$2; shift 2
    [ $SECONDS -lt "${OVH_LIMIT:-140}" ] || { echo "time is up: $what $backend left out"; return 1; }
    PYTHONPATH=${OVH_TE:-} timeout 60 "$here/ovh-record" -q -o "$tmp/$what-$backend.bin" "$@" -- "$python" "$script" --backend "$backend" \
        --seq_length 512 --warmup 300 --timing_iters 300 --num_rounds 2 > "$tmp/out" 2>&1 ||
        { echo "$what $backend: failed"; tail -3 "$tmp/out"; return 1; }
    "$here/ovh-report" --format json --raw "$tmp/$what-$backend.bin" > "$tmp/report.json"
    "$python" - "$what" "$backend" "$tmp/report.json" >> "$results/replay.runs" <<'PY'
import json, sys
what, backend, path = sys.argv[1:]
unit = json.load(open(path))["reports"][0]["unit"]
n = unit["statistics"]["counted"]
own = sum(unit["classes"].get(c, {"ns": 0})["ns"] for c in ("python", "native")) / n / 1e3
library = sum(unit["classes"].get(c, {"ns": 0})["ns"] for c in ("cublas", "cublaslt", "cudart", "driver")) / n / 1e3
print(what, backend, round(own, 3), round(library, 3))
PY
}

backends="torch ${OVH_TE:+te}"
for backend in $backends; do
    if [ -n "${OVH_REAL:-}" ]; then
        cp "$OVH_REAL/linear-$backend.costs.txt" "$results/$backend.costs"
    else
        one first "$backend" && "$here/ovh-report" --costs "$tmp/first-$backend.bin" > "$results/$backend.costs"
    fi
done
for round in $(seq "${OVH_ROUNDS:-3}"); do
    for backend in $backends; do
        [ -n "${OVH_REAL:-}" ] || one real "$backend"
        one sim "$backend" --sim
        for touch in ${OVH_TOUCH:-0 4K 16K}; do
            OVH_SIM_TOUCH=$touch one "costs-$touch" "$backend" --sim --costs "$results/$backend.costs"
        done
    done
done
"$python" - "$results/replay.runs" <<'PY' | tee "$results/replay.txt"
import statistics, sys
runs = {}
for line in open(sys.argv[1]):
    what, backend, own, library = line.split()
    runs.setdefault(what, {}).setdefault(backend, []).append((float(own), float(library)))
runs.pop("first", None)
middle = lambda values, i: statistics.median(v[i] for v in values)
print("python + native us (library us; runs: lowest .. highest)")
for what, by in runs.items():
    cells = ["%s %.2f (%.2f; %d: %.2f .. %.2f)" % (b, middle(v, 0), middle(v, 1), len(v), min(v)[0], max(v)[0]) for b, v in by.items()]
    ratio = "te : torch %.2f" % (middle(by["te"], 0) / middle(by["torch"], 0)) if "te" in by and "torch" in by else ""
    print("%-10s" % what, "  ".join(cells), ratio)
    if what != "real" and "real" in runs:
        print(" " * 10, "  ".join("%s %+.1f %% of real" % (b, 100 * (middle(v, 0) / middle(runs["real"][b], 0) - 1)) for b, v in by.items() if b in runs["real"]))
PY
