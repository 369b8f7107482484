# SPDX-License-Identifier: Apache-2.0
"""Builds the fake CUDA libraries and the programs of these tests once, into build/ARCH/tests/interpose, and runs a program under
libovh.so. For another architecture: CC and CXX name its compilers, OVH_TEST_EMULATOR what runs its programs
("qemu-aarch64-static -L /usr/aarch64-linux-gnu")."""
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import trace_reader  # noqa: E402

CC, CXX = os.environ.get("CC", "gcc"), os.environ.get("CXX", os.environ.get("CC", "gcc").replace("gcc", "g++"))
EMULATOR = shlex.split(os.environ.get("OVH_TEST_EMULATOR", ""))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"))
OVH = os.path.abspath(os.path.join(ROOT, os.environ.get("OUT", "."), "libovh.so"))
TWIN = os.path.join(BUILD, "libovh-twin.so")
LAB = os.path.join(BUILD, "tests", "interpose")
for old in glob.glob(os.path.join(LAB, "run-*")):
    shutil.rmtree(old, ignore_errors=True)


def compile_(output, source, *options, compiler=None):
    """Returns the path of the built file in the lab. Rebuilt each run: they are small."""
    path = os.path.join(LAB, output)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    command = [compiler or CC, "-O1", "-g", "-w", "-o", path, os.path.join(HERE, source), *options, "-L" + LAB, "-Wl,-rpath," + LAB, "-pthread", "-ldl"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, "%s\n%s" % (" ".join(command), done.stdout)
    return path


def library(soname, source, *options, node=None, name=None):
    """A shared library; `node`: its symbols get this version, as NVIDIA's libraries do."""
    options = list(options) + ["-shared", "-fPIC", "-Wl,-soname," + soname, "-Wl,-Bsymbolic"]
    if node:
        script = os.path.join(LAB, soname + ".map")
        os.makedirs(LAB, exist_ok=True)
        with open(script, "w") as f:
            f.write('%s { global: *; };\n' % node)
        options.append("-Wl,--version-script," + script)
    return compile_(name or soname, source, *options)


def run(program, *arguments, preload=OVH, before=(), after=(), environment=None, expect=0):
    """Returns (lines of stdout, folder where the trace was written)."""
    folder = tempfile.mkdtemp(prefix="run-", dir=LAB)
    preloads = ":".join([*before, *([preload] if preload else []), *after])
    variables = {"LD_LIBRARY_PATH": LAB, "OVH_QUIET": "1", "OVH_TIME_QUERIES": "1", "OVH_DETAIL": "2", **(environment or {})}
    if preloads:
        variables["LD_PRELOAD"] = preloads
    if EMULATOR:
        command = EMULATOR + [x for k, v in variables.items() for x in ("-E", "%s=%s" % (k, v))]
        done = subprocess.run(command + [program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    else:
        done = subprocess.run([program, *arguments], cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=60)
    assert done.returncode == expect, "status %d\n%s" % (done.returncode, done.stdout)
    return done.stdout.splitlines(), folder


def traces(folder):
    return sorted(x for x in os.listdir(folder) if x.startswith("trace"))


class Seen:
    """The one trace of a folder: `paths` of all spans ("cudaLaunchKernel/cuLaunchKernel"), `records` as (span's name, record, arg,
    words), whether each span failed, names of kernels."""

    def __init__(self, folder, file="trace.bin"):
        self.trace = trace_reader.read(os.path.join(folder, file))
        self.spans = [s for n in self.trace.events for s in trace_reader.spans(self.trace, n)]
        self.paths = ["/".join(s.path()) for s in self.spans]
        self.records = []
        for events in self.trace.events.values():
            open_ = []
            for e in events:
                if e.what == "ENTER":
                    open_.append(self.trace.steps[e.arg].name)
                elif e.what == "LEAVE":
                    open_.pop()
                elif open_ and e.what not in ("TIME", "AT"):
                    self.records.append((open_[-1], e.what, e.arg, list(e.words)))

    def of(self, what, name=None):
        return [(arg, words) for n, w, arg, words in self.records if w == what and name in (None, n)]

    def kernel(self, words):
        return self.trace.kernels.get(words[0])


def u64(words, at):
    return words[at] | words[at + 1] << 32
