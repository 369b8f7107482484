#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CPU overhead of a change against its base, with no GPU: records both in turns and asks ovh-report whether the change costs more.
#
#   overhead_gate.sh RUNS BASE_PYTHON CHANGE_PYTHON PROGRAM [ARGUMENT...]
#
# BASE_PYTHON and CHANGE_PYTHON have the two versions installed (two virtual environments). Limits: OVH_GATE, "host=2%".
# Exit status: that of ovh-report: 0 fine, 1 worse, 3 not sure, 2 and 4 when something went wrong.
set -e
runs=$1 base=$2 change=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OVH_DETAIL=${OVH_DETAIL:-2} OVH_QUIET=1 # one fixed level of detail: both sides pay for it alike
# Where libraries and heap lie differs from process to process, and is most of what two equal processes differ in: one fixed place for
# both sides. OVH_GATE_LAYOUT=random leaves it to chance: for changes of native code, whose own place moves; then more runs are needed.
fixed=(env PYTHONHASHSEED=0 setarch -R)
if [ "$OVH_GATE_LAYOUT" = random ]; then
    fixed=()
elif ! "${fixed[@]}" true 2>/dev/null; then
    echo "overhead_gate.sh: the memory layout cannot be fixed here (setarch -R): take more runs" >&2
    fixed=()
fi
record() {
    "${fixed[@]}" ovh-record --sim -q -o "$folder/$1" -- "${@:2}"
}
for i in $(seq "$runs"); do # in turns, and each first in half of them: what the machine does meanwhile meets both
    if [ $((i % 2)) = 1 ]; then
        record "base$i.bin" "$base" "$@"
        record "change$i.bin" "$change" "$@"
    else
        record "change$i.bin" "$change" "$@"
        record "base$i.bin" "$base" "$@"
    fi
done
status=0
ovh-report --gate "${OVH_GATE:-host=2%}" --base "$folder"/base*.bin --change "$folder"/change*.bin || status=$?
exit $status
