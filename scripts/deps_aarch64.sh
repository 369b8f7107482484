#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make deps-aarch64: what the tests for aarch64 need on an x86-64 machine: cross compilers and qemu-user (installed through apt, as root or
# with sudo), two libraries and a CPython for arm64 (unpacked below build/). Where something is not to be had, one line says so, and the
# tests that need it are skipped. Where nothing is missing, nothing is done.
set -eu
fail() {
    echo "aarch64: $1: its tests are skipped" >&2
    exit 1
}
[ "$(uname -m)" = x86_64 ] || exit 0
missing=
need() { command -v "$2" >/dev/null 2>&1 || missing="$missing $1"; }
need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc
need g++-aarch64-linux-gnu aarch64-linux-gnu-g++
need qemu-user-static qemu-aarch64-static
if [ -n "$missing" ]; then
    command -v apt-get >/dev/null 2>&1 || fail "missing here:$missing"
    as_root=
    [ "$(id -u)" = 0 ] || as_root='sudo -n env'
    echo "make deps-aarch64: installing$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    install() { $as_root apt-get install -y -q --no-install-recommends $missing libc6-dev-arm64-cross </dev/null >/dev/null; }
    install 2>/dev/null || { $as_root apt-get update -q >/dev/null && install; } || fail "apt could not install$missing"
fi
scripts/cross_libs.sh build/aarch64/sysroot || fail "libsmartcols and jansson for arm64 are not to be had"
scripts/arm64_root.sh build/arm64-root || fail "no CPython for arm64"
