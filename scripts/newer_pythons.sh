#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# newer_pythons.sh FOLDER: CPython 3.13, 3.14 and 3.15 as Debian's next release builds them (static, optimised, and as a library),
# with their own test suites, unpacked into FOLDER/root and never installed. Each python3.N there is a script that starts the
# interpreter with the unpacked system's own loader and libraries, and is its own sys.executable, so its children run the same way.
# Says nothing where they are there already; progress on stderr; non-zero, with one line, where they cannot be had (not Debian, or
# its packages are not reachable).
set -eu
folder=$1 versions='3.13 3.14 3.15' suite=testing

cmp -s "$folder/complete" "$0" && exit 0
fail() {
    echo "CPython $versions are not to be had here ($1): tests on them are skipped" >&2
    rm -rf "$folder"
    exit 1
}
command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail "no apt"
site=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 '/debian/*$') || fail "not Debian"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e $keys ] || fail "no keys of Debian's archive"

echo "CPython $versions from Debian $suite into $folder (80 MB, downloaded once)" >&2
rm -rf "$folder"
mkdir -p "$folder/apt/etc/apt.conf.d" "$folder/apt/etc/preferences.d" "$folder/apt/state/lists/partial" "$folder/apt/cache/archives/partial" \
    "$folder/root"
folder=$(cd "$folder" && pwd)
echo "deb [signed-by=$keys] $site $suite main" >"$folder/apt/etc/sources.list"
: >"$folder/apt/status"
# An apt of its own: nothing of this machine's package state is read or changed.
apt() {
    apt-get -q -o Dir::Etc="$folder/apt/etc" -o Dir::State="$folder/apt/state" -o Dir::State::status="$folder/apt/status" \
        -o Dir::Cache="$folder/apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Acquire::Retries=2 \
        -o APT::Install-Recommends=false "$@" </dev/null >"$folder/apt.log" 2>&1
}
apt update || fail "no list of packages"
# shellcheck disable=SC2046
apt -y --download-only install $(printf 'python%s ' $versions) $(printf 'libpython%s ' $versions) || fail "no packages"
# shellcheck disable=SC2046
(cd "$folder/apt/cache/archives" && apt download $(printf 'libpython%s-testsuite ' $versions)) || fail "no test suites"
for package in "$folder"/apt/cache/archives/*.deb; do
    dpkg -x "$package" "$folder/root" || fail "a package does not unpack"
done
loader=$(ls "$folder"/root/usr/lib/*-linux-gnu*/ld-linux*.so.* | head -1)
for version in $versions; do
    program=$folder/root/usr/bin/python$version
    mv "$program" "$folder/root/usr/bin/.python$version"
    printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 "$0" "%s" "$@"\n' "$loader" "$(dirname "$loader")" \
        "$folder/root/usr/bin/.python$version" >"$program"
    chmod +x "$program"
    "$program" -c 'import ctypes, ssl' 2>"$folder/apt.log" || fail "CPython $version does not run"
done
rm -rf "$folder/apt" "$folder/apt.log"
cp "$0" "$folder/complete"
