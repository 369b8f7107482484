#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make deps: what building and testing need and this machine lacks. Debian and Ubuntu: installed through apt, as root or with sudo.
# Elsewhere: said. Where nothing is missing, nothing is done. DEPS_CROSS=aarch64-linux-gnu-: also what a cross build needs.
set -eu

CC=${CC:-gcc}
missing=
names=

# need PACKAGE WHAT PROBE...: the probe succeeds where the thing is there.
need() {
    package=$1 what=$2
    shift 2
    "$@" >/dev/null 2>&1 && return
    missing="$missing $package"
    names="$names
  $what"
}
header() { printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" | gcc -E -x c -; }
library() { echo 'int main(void) { return 0; }' | "$1" -x c - -o /dev/null "$2"; }

need gcc 'a C compiler (gcc)' command -v gcc
need libc6-dev 'the C library headers' header stdio.h
need binutils 'binutils (ld, readelf, nm)' command -v readelf
need libsmartcols-dev 'libsmartcols, with headers (util-linux)' header libsmartcols/libsmartcols.h
need libjansson-dev 'jansson, with headers' header jansson.h
need uthash-dev 'uthash (headers)' header uthash.h
need libxxhash-dev 'xxHash, with headers' header xxhash.h
need libcmocka-dev 'cmocka, with headers (tests)' header cmocka.h
need scdoc 'scdoc (man pages)' command -v scdoc
need python3 'Python 3 (tests)' command -v python3
need python3-venv 'venv of Python 3, with ensurepip (tests with PyTorch)' python3 -c 'import ensurepip, venv'
if [ -n "${DEPS_CROSS:-}" ]; then
    need gcc-aarch64-linux-gnu "${DEPS_CROSS}gcc" command -v "${DEPS_CROSS}gcc"
    need libc6-dev-arm64-cross 'the C library for aarch64' library "${DEPS_CROSS}gcc" -lc
fi
cross_libs() {
    [ -n "${DEPS_CROSS:-}" ] || return 0
    library "${DEPS_CROSS}gcc" -lsmartcols >/dev/null 2>&1 && library "${DEPS_CROSS}gcc" -ljansson >/dev/null 2>&1 && return 0
    command -v apt-get >/dev/null 2>&1 && scripts/cross_libs.sh build/aarch64/sysroot && return 0
    echo "make deps: libsmartcols and jansson for aarch64 are not here: put them where ${DEPS_CROSS}gcc finds them" >&2
    return 1
}

if [ -z "$missing" ]; then
    cross_libs
    exit
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "make deps: missing here:$names" >&2
    echo "Install these with this system's package manager, then run make again." >&2
    exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "make deps: neither root nor sudo: as root, run: apt-get install$missing" >&2
        exit 1
    fi
    as_root='sudo env'
fi
echo "make deps: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
install() { $as_root apt-get install -y -q --no-install-recommends $missing </dev/null >&2; }
# Package lists may be missing or old: fetch them and try once more.
install || { $as_root apt-get update -q >&2 && install; } || {
    echo "make deps: apt could not install:$missing; install them by hand, then run make again" >&2
    exit 1
}
cross_libs
