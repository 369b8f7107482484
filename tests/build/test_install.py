#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make install and uninstall below a DESTDIR: what arrives, that it runs from there, and that nothing stays behind."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main, skip

BUILD, OUT = os.environ.get("BUILD", ""), os.environ.get("OUT", ".")


def make(*words):
    """The make that runs the tests must not lend this one its job slots."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    p = subprocess.run(["make", "-s", *words], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert p.returncode == 0, (words, p.stdout[-2000:], p.stderr[-2000:])
    return p.stdout


def files(folder):
    return sorted(os.path.relpath(os.path.join(where, f), folder) for where, _, names in os.walk(folder) for f in names)


def folders(folder):
    return sorted(os.path.relpath(os.path.join(where, f), folder) for where, names, _ in os.walk(folder) for f in names)


def installed(prefix, destdir):
    return make("install", "PREFIX=" + prefix, "DESTDIR=" + destdir)


def needs_native():
    if OUT != ".":
        skip("not the native build")


def test_what_is_installed_and_that_it_runs_and_goes():
    needs_native()
    with tempfile.TemporaryDirectory() as destdir:
        prefix = "/opt/ovh-test"
        installed(prefix, destdir)
        here = destdir + prefix
        there = files(here)
        for name in ("lib/libovh.so", "bin/ovh-report", "bin/ovh-record", "share/man/man1/ovh-record.1", "share/man/man1/ovh-report.1",
                     "share/man/man7/libovh.7", "share/doc/ovh/README.md", "share/doc/ovh/LICENSE"):
            assert name in there, (name, there)
        assert any(f.startswith("lib/ovh/sim/libcudart.so") or f.startswith("lib/ovh/sim/cudart/") for f in there), there
        assert files(destdir) == [os.path.relpath(here, destdir) + "/" + f for f in there], "something lies outside the prefix"
        for tool in ("ovh-record", "ovh-report"):
            for option in ("--version", "--help"):
                p = subprocess.run([here + "/bin/" + tool, option], capture_output=True, text=True, stdin=subprocess.DEVNULL)
                assert p.returncode == 0 and tool in p.stdout, p
        # ovh-record finds the library of its own tree, moved as that was
        p = subprocess.run([here + "/bin/ovh-record", "-q", "--", "sh", "-c", "echo $LD_PRELOAD"], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, cwd=destdir)
        assert p.stdout.strip() == os.path.realpath(here) + "/lib/libovh.so", p
        make("uninstall", "PREFIX=" + prefix, "DESTDIR=" + destdir)
        assert files(destdir) == [] and folders(destdir) == ["opt"], (files(destdir), folders(destdir))


def test_folders_can_be_chosen_one_by_one():
    needs_native()
    with tempfile.TemporaryDirectory() as destdir:
        places = ["PREFIX=/usr", "LIBDIR=/usr/lib/x", "BINDIR=/usr/b", "MANDIR=/usr/m", "DESTDIR=" + destdir]
        make("install", *places)
        there = files(destdir)
        for name in ("usr/lib/x/libovh.so", "usr/b/ovh-record", "usr/m/man1/ovh-record.1"):
            assert name in there, there
        make("uninstall", *places)
        assert files(destdir) == [] and folders(destdir) == ["usr", "usr/lib", "usr/share", "usr/share/doc"], (files(destdir), folders(destdir))


def test_what_others_put_there_and_what_every_system_has_stays():
    needs_native()
    with tempfile.TemporaryDirectory() as destdir:
        places = ["PREFIX=/usr/local", "DESTDIR=" + destdir]
        make("install", *places)
        open(destdir + "/usr/local/share/man/man7/other.7", "w").close()
        make("uninstall", *places)
        assert files(destdir) == ["usr/local/share/man/man7/other.7"], files(destdir)
        left = [f[len("usr/local/"):] for f in folders(destdir) if f.startswith("usr/local/")]
        assert left == ["bin", "lib", "share", "share/doc", "share/man", "share/man/man7"], left


def test_the_bare_library_name_works_after_an_install_as_root():
    """the bare library name works after an install with ldconfig (in a mount namespace of its own)"""
    needs_native()
    script = """
        set -e
        mount -t tmpfs none /mnt
        mkdir -p /mnt/etc-upper /mnt/etc-work
        mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/etc-upper,workdir=/mnt/etc-work /etc
        make -s install PREFIX=/mnt/here LDCONFIG='echo /mnt/here/lib > /etc/ld.so.conf.d/ovh-test.conf && ldconfig'
        cd /mnt
        echo READY
        LD_PRELOAD=libovh.so sh -c 'grep -o "/mnt/here/lib/libovh.so" /proc/self/maps | head -1'
    """
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "LD_PRELOAD")}
    p = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    if "READY" not in p.stdout:
        skip("no mount namespace here: " + (p.stderr.strip().splitlines() or ["?"])[-1])
    assert p.stdout.split()[-1] == "/mnt/here/lib/libovh.so" and "ERROR" not in p.stderr, p


if __name__ == "__main__":
    main()
