#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No space, no permission: one line on stderr, the host unharmed, what was lost counted."""
import os
import subprocess
from guest import entered, files, folder, host, lost, main, read, skip


def in_mount(kind, options, check):
    """Runs check(folder of that file system) with the mount taken away again."""
    with folder() as d:
        p = subprocess.run(["mount", "-t", kind, "-o", options, "ovh-test", d], stderr=subprocess.PIPE)
        if p.returncode:
            skip("cannot mount a %s here" % kind)
        try:
            check(d)
        finally:
            subprocess.run(["umount", d], check=True)


def one_line(stderr, *words):
    assert stderr.count("\n") == 1 and stderr.startswith("ovh: ") and all(w in stderr for w in words), stderr


def test_full_disk():
    def check(d):
        status, truth, stderr = host(d, "calls", 400000)
        assert status == 0 and truth["calls"] == [400000]
        one_line(stderr, "trace.bin", "no space left on device")
        t = read(d)
        assert entered(t) > 10000 and 2 * entered(t) + lost(t) >= 799900, (entered(t), t.losses)
    in_mount("tmpfs", "size=1m", check)


def test_disk_too_small_for_a_file():
    def check(d):
        status, _, stderr = host(d, "calls", 10)
        assert status == 0 and files(d) == []
        one_line(stderr, "no space left on device")
    in_mount("tmpfs", "size=16k", check)


def test_read_only_file_system():
    def check(d):
        subprocess.run(["mount", "-o", "remount,ro", d], check=True)
        status, truth, stderr = host(d, "calls", 10)
        assert status == 0 and truth["calls"] == [10]
        one_line(stderr, "read-only file system")
    in_mount("tmpfs", "size=1m", check)


def test_file_system_that_cannot_allocate():
    def check(d):
        status, _, stderr = host(d, "calls", 100000, OVH_CHUNK="64K")
        t = read(d)
        assert (status, stderr) == (0, "") and entered(t) == 100000 and lost(t) == 0 and t.end
        assert any("cannot allocate" in n for n in t.notes)
    in_mount("ramfs", "mode=0700", check)


def test_folder_that_does_not_exist():
    with folder() as d:
        status, truth, stderr = host(d, "calls", 10, OVH_OUT="nowhere/trace.bin")
        assert status == 0 and truth["calls"] == [10]
        one_line(stderr, "nowhere/trace.bin", "no such directory")


def test_folder_without_permission():
    if os.geteuid() == 0 and subprocess.run(["setpriv", "--version"], stdout=subprocess.DEVNULL).returncode:
        skip("needs setpriv where the tests run as root")
    with folder() as d:
        os.mkdir(d + "/closed")
        os.chmod(d, 0o755)
        os.chmod(d + "/closed", 0o555)
        prefix = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        status, truth, stderr = host(d, "calls", 10, prefix=prefix, OVH_OUT="closed/trace.bin")
        if status == 126 or status == 127 or "Permission denied" in stderr or "cannot be preloaded" in stderr:
            skip("another user cannot read the build folder")
        assert status == 0 and truth["calls"] == [10]
        one_line(stderr, "permission denied")


def test_quiet_says_nothing():
    with folder() as d:
        assert host(d, "calls", 10, OVH_OUT="nowhere/trace.bin", OVH_QUIET="1") == (0, {"calls": [10]}, "")


def test_file_size_limit():
    with folder() as d:
        status, truth, stderr = host(d, "limit", 400000)
        assert status == 0 and truth["calls"] == [400000]
        one_line(stderr, "file size limit reached")
        assert os.path.getsize(d + "/trace.bin") <= 1 << 20 and lost(read(d)) > 0


def test_size_bound():
    with folder() as d:
        status, _, stderr = host(d, "calls", 400000, OVH_MAX_SIZE="1M", OVH_CHUNK="64K")
        t = read(d)
        assert status == 0 and os.path.getsize(d + "/trace.bin") <= 1 << 20
        one_line(stderr, "OVH_MAX_SIZE")
        assert 2 * entered(t) + lost(t) >= 799900 and any("no more" in n or "stopped" in n for n in t.notes), (entered(t), t.losses, t.notes)


if __name__ == "__main__":
    main()
