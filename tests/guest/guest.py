# SPDX-License-Identifier: Apache-2.0
"""Runs the host program under the recorder in a folder of its own. OVH_TEST_EMULATOR: what runs programs of another architecture; a static
program, which passes LD_PRELOAD on and is not touched by it ("qemu-aarch64-static -L /usr/aarch64-linux-gnu")."""
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import main, skip  # noqa: E402,F401
import trace_reader  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/" + os.uname().machine), "tests", "guest")
HOST = os.path.join(BUILD, "host")
EMULATOR = shlex.split(os.environ.get("OVH_TEST_EMULATOR", ""))
LIBRARY = os.environ.get("OVH_TEST_LIBRARY", os.path.join(BUILD, "libovh-guest.so"))


def folder():
    return tempfile.TemporaryDirectory(prefix="ovh-guest-")


def environment(settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OVH_", "SLURM_", "OMPI_", "PMI")) and k not in ("RANK", "WORLD_SIZE")}
    return {**clean, "LD_PRELOAD": LIBRARY, "OVH_TIME_QUERIES": "1", "OVH_DETAIL": "2", **settings}


def host(where, *arguments, program=HOST, prefix=(), **settings):
    """Returns (status, {key: [values]}, stderr)."""
    emulator = EMULATOR if program.startswith(BUILD) else []
    p = subprocess.run([*prefix, *emulator, program, *map(str, arguments)], cwd=where, env=environment(settings), stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    truth = {}
    for line in p.stdout.decode().splitlines():
        key, _, value = line.partition(" ")
        truth.setdefault(key, []).append(int(value) if value.isdigit() else value)
    return p.returncode, truth, p.stderr.decode()


def start(where, *arguments, **settings):
    """A host that goes on; its first line has been read."""
    p = subprocess.Popen([*EMULATOR, HOST, *map(str, arguments)], cwd=where, env=environment(settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert p.stdout.readline().startswith(b"ready")
    return p


def finish(p):
    p.stdin.write(b"\n")
    p.stdin.close()
    assert p.wait(60) == 0
    p.stdout.close()


def read(where, name="trace.bin"):
    return trace_reader.read(os.path.join(where, name))


def files(where):
    return sorted(os.listdir(where))


def entered(trace, name=None):
    """ENTER events of all threads, of one step or all."""
    return sum(1 for events in trace.events.values() for e in events if e.what == "ENTER" and (name is None or trace.steps[e.arg].name == name))


def lost(trace):
    """Events lost, in threads' chunks and outside."""
    inside = sum(e.words[0] for events in trace.events.values() for e in events if e.what == "LOSS")
    return inside + sum(trace.losses.values())
