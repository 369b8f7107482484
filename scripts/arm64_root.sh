#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# arm64_root.sh FOLDER: Debian's CPython for arm64 and what it needs, unpacked from Debian's packages into FOLDER, to be run by
# qemu-aarch64-static. Nothing is installed; the machine's own apt is left as it is: its sources are read into lists of our own.
# FOLDER/usr/bin/python3-emulated is a program of this machine that starts that CPython; processes which that starts find it, too.
set -eu
folder=$1
[ -e "$folder/complete" ] && exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
here=$(cd "$folder" && pwd)
sources=$(cd "$(dirname "$0")/.." && pwd)
options="-q -o Dir::State::lists=$here/apt/lists -o Dir::Cache=$here/apt -o APT::Architectures::=$(dpkg --print-architecture) -o APT::Architectures::=arm64"
echo "CPython for arm64 into $folder" >&2
# shellcheck disable=SC2086
apt-get $options update >/dev/null </dev/null
python=$(apt-cache $options depends python3-minimal:arm64 | sed -n 's/.*Depends: \(python3\.[0-9]*\)-minimal.*/\1/p' | head -1)
for package in libc6 libstdc++6 libgcc-s1 libgomp1 zlib1g libexpat1 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1 libncursesw6 libtinfo6 \
    libreadline8 libdb5.3 libcrypt1 libssl3 "lib$python-minimal" "lib$python-stdlib" "$python-minimal"; do
    # shellcheck disable=SC2086
    (cd "$here/apt" && apt-get $options -o APT::Sandbox::User=root download "$package:arm64" >/dev/null </dev/null)
done
for package in "$here"/apt/*.deb; do
    dpkg -x "$package" "$here"
done
rm -rf "$here/apt"
${CC_HERE:-gcc} -O1 -static -DQEMU="\"$(command -v qemu-aarch64-static)\"" -DROOT="\"$here\"" -DPROGRAM="\"$here/usr/bin/$python\"" \
    -o "$here/usr/bin/python3-emulated" "$sources/tests/aarch64/emulated.c"
touch "$here/complete"
