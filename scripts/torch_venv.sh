#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torch_venv.sh FOLDER VERSION: a virtual environment with PyTorch of that version and its pure-Python needs, without the 2 GB of NVIDIA
# packages: the CUDA libraries are the simulated ones. Says nothing where it is there already; progress on stderr; non-zero, with one
# line, where it cannot be had (no registry, no wheel for this Python).
set -eu
folder=$1 version=$2
python=$folder/bin/python

[ -e "$folder/complete" ] && [ "$(cat "$folder/complete")" = "$version" ] && exit 0
case $version in
2.[0-5].*) needs='filelock typing-extensions sympy==1.13.1 mpmath networkx jinja2 markupsafe fsspec setuptools numpy<2.3' ;;
*) needs='filelock typing-extensions sympy mpmath networkx jinja2 markupsafe fsspec setuptools numpy' ;;
esac

echo "PyTorch $version into $folder (a wheel of 400 to 900 MB, downloaded once)" >&2
rm -rf "$folder"
base=${OVH_TEST_BASE_PYTHON:-}
[ -n "$base" ] || { [ -x /usr/bin/python3 ] && base=/usr/bin/python3 || base=python3; }
fail() {
    echo "PyTorch $version is not to be had here ($1): what needs it is skipped" >&2
    rm -rf "$folder"
    exit 1
}
mkdir -p "$(dirname "$folder")"
"$base" -m venv "$folder" >&2 || fail "no virtual environment by $base"
pip="$python -m pip --disable-pip-version-check install --no-input --retries 2"
# In this order: with PyTorch there already, pip complains in red of the NVIDIA packages that are left out on purpose.
# shellcheck disable=SC2086
$pip -q $needs </dev/null >&2 || fail "pip could not install what PyTorch needs, or there is no registry"
$pip --no-deps "torch==$version" </dev/null >&2 || fail "pip found no wheel"
# One test generates text with it; without it that one is skipped.
case $version in
2.11.*) $pip -q transformers==5.24.0 </dev/null >&2 || echo "transformers is not to be had here: its test is skipped" >&2 ;;
esac
echo "$version" >"$folder/complete"
