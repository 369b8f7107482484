#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cross_libs.sh FOLDER: the two libraries that ovh-report is linked with, for aarch64, unpacked from Debian's packages into FOLDER.
# Nothing is installed and the machine's own apt is left as it is: its sources are read into lists of our own.
set -eu
folder=$1
[ -e "$folder/complete" ] && exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
here=$(cd "$folder" && pwd)
options="-q -o Dir::State::lists=$here/apt/lists -o Dir::Cache=$here/apt -o APT::Architectures::=$(dpkg --print-architecture) -o APT::Architectures::=arm64"
echo "libsmartcols and jansson for arm64 into $folder" >&2
# shellcheck disable=SC2086
apt-get $options update >/dev/null </dev/null
# shellcheck disable=SC2086
(cd "$here/apt" && apt-get $options -o APT::Sandbox::User=root download libsmartcols1:arm64 libsmartcols-dev:arm64 libjansson4:arm64 \
    libjansson-dev:arm64 >/dev/null </dev/null)
for package in "$here"/apt/*.deb; do
    dpkg -x "$package" "$here"
done
rm -rf "$here/apt"
touch "$here/complete"
