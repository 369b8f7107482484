#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Real programs on a machine with a GPU (tests/real/programs): each bare, and under the preload as it is by default and with everything
# recorded; its words must be the same, and ovh's count of launches CUPTI's in the same process.
#
#   tests/gpu/guests.sh RESULTS [PROGRAM ...]
#
# Needs libovh.so and ovh-report built, and a python3 with PyTorch. Programs whose packages are not there are named as missing.
#   OVH_TE=FOLDER     PYTHONPATH where Transformer Engine lies
#   OVH_JOBS=6        programs that run at a time; OVH_LIMIT=110: seconds that one run may take
# One line per program; all output is kept in RESULTS. Ends with 1 where anything differs.
set -u
results=$(mkdir -p "$1" && cd "$1" && pwd) || exit 2
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
programs=${*:-compiled layernorm_mlp jax_jit generate cupy_kernels triton_kernel amp_loader graphs linear decoder mm}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export CUBLAS_WORKSPACE_CONFIG=:4096:8 XLA_PYTHON_CLIENT_PREALLOCATE=false XLA_FLAGS=--xla_gpu_autotune_level=0 OVH_QUIET=1
export results here tmp
gcc -O2 -fPIC -shared -I/usr/local/cuda/include -I/usr/local/cuda/extras/CUPTI/include -o "$tmp/cupti_count.so" "$here/tests/gpu/cupti_count.c" \
    -L/usr/local/cuda/lib64 -L/usr/local/cuda/extras/CUPTI/lib64 -lcupti \
    -Wl,-rpath,/usr/local/cuda/lib64 -Wl,-rpath,/usr/local/cuda/extras/CUPTI/lib64 || exit 2

# once PROGRAM HOW [VARIABLE=VALUE ...]: one run, in a folder of its own (caches of compilers too, so that every run compiles).
once() {
    local program=$1 how=$2 folder=$tmp/$1.$2 began=$SECONDS
    shift 2
    mkdir -p "$folder" && cd "$folder" || return
    env HOME="$folder" TRITON_CACHE_DIR="$folder/triton" TORCHINDUCTOR_CACHE_DIR="$folder/inductor" CUPY_CACHE_DIR="$folder/cupy" \
        CUDA_INJECTION64_PATH="$tmp/cupti_count.so" CUPTI_COUNT_OUT="$folder/cupti" "$@" \
        timeout -k 5 "${OVH_LIMIT:-110}" python3 "$here/tests/real/run.py" "$program" \
        >"$results/$program.$how.out" 2>"$results/$program.$how.err" </dev/null
    echo "$? $((SECONDS - began))" >"$folder/status"
}

# said PROGRAM HOW: "kernels N/M graphs N/M", ovh's and CUPTI's counts summed over the processes of that run.
said() {
    local cupti ovh
    cupti=$(awk '{k += $3; g += $5} END {print k + 0, g + 0}' "$tmp/$1.$2/cupti" 2>/dev/null) || cupti='? ?'
    ovh=$(python3 "$here/tests/real/launches.py" "$here/ovh-report" "$tmp/$1.$2"/trace*.bin 2>>"$results/$1.$2.err") || ovh='none none'
    read -r ck cg <<<"$cupti"
    read -r ok og <<<"$ovh"
    echo "$ok/$ck $og/$cg"
}

program() {
    [ "$1" = layernorm_mlp ] && [ -n "${OVH_TE:-}" ] && export PYTHONPATH=$OVH_TE
    once "$1" bare &
    once "$1" default LD_PRELOAD="$here/libovh.so" OVH_OUT="$tmp/$1.default/trace.bin" &
    once "$1" all LD_PRELOAD="$here/libovh.so" OVH_OUT="$tmp/$1.all/trace.bin" OVH_DETAIL=3 OVH_PYTHON_EVALUATOR=always &
    wait
    local verdict=same line how rc seconds counts cupti
    read -r rc seconds <"$tmp/$1.bare/status"
    if [ "$rc" != 0 ]; then
        echo "$1: not run: bare it ends with $rc: $(tail -1 "$results/$1.bare.err")"
        grep -qE 'ModuleNotFoundError|ImportError' "$results/$1.bare.err" || echo "$1" >>"$tmp/bad"
        return
    fi
    cupti=$(awk '{k += $3; g += $5} END {print k + 0, g + 0}' "$tmp/$1.bare/cupti" 2>/dev/null)
    line="bare CUPTI ${cupti:-?} ($seconds s)"
    for how in default all; do
        read -r rc seconds <"$tmp/$1.$how/status"
        counts=$(said "$1" "$how")
        [ "$rc" = 0 ] || verdict="ENDED WITH $rc"
        cmp -s "$results/$1.bare.out" "$results/$1.$how.out" || verdict=DIFFERENT
        [[ $counts =~ ^([0-9]+)/([0-9]+)\ ([0-9]+)/([0-9]+)$ && ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" && ${BASH_REMATCH[3]} = "${BASH_REMATCH[4]}" ]] \
            || verdict="$verdict, $how: LAUNCHES DIFFER"
        line="$line; $how ovh/CUPTI kernels graphs $counts ($seconds s)"
    done
    echo "$1: $verdict; $line"
    [ "$verdict" = same ] || { echo "$1" >>"$tmp/bad"; diff "$results/$1.bare.out" "$results/$1.default.out" | head -4; tail -2 "$results/$1.default.err"; }
}
export -f once said program

# shellcheck disable=SC2086
printf '%s\n' $programs | xargs -P "${OVH_JOBS:-6}" -I{} bash -c 'program {}' | tee "$results/guests.txt"
echo "$(grep -c ': same' "$results/guests.txt") of $(wc -w <<<"$programs") programs the same in words and launches, $SECONDS s" | tee -a "$results/guests.txt"
[ ! -e "$tmp/bad" ]
