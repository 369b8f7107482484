#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ovh-record --sim as a user meets it, without PyTorch: what it sets up, its cache, its refusals; and that layouts and documents are
what they say."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main, skip  # noqa: E402

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"))
SIMULATED = os.path.join(BUILD, "tests/sim/simulated")
CC = os.environ.get("CC", "gcc")
WORK = tempfile.mkdtemp(prefix="ovh-sim-test-")

# A library as NVIDIA would make it, a program that imports it, and the simulated runtime; the library itself is then taken away.
LIBRARY = "int cudnnMade(void) { return 7; } int cudnnOther(void) { return 8; }"
PROGRAM = """
#include <stdio.h>
int cudnnMade(void), cudnnOther(void), cudaGetDeviceCount(int *);
int main(void) { int n = -1; int e = cudaGetDeviceCount(&n); printf("%d %d %d %d\\n", cudnnMade(), cudnnOther(), e, n); return 0; }
"""


def run(*command, **env):
    e = dict(os.environ, OVH_SIM_DIR=os.path.join(BUILD, "sim"), XDG_CACHE_HOME=os.path.join(WORK, "cache"))
    e.pop("LD_PRELOAD", None)
    for name, value in env.items():
        e.pop(name, None) if value is None else e.update({name: value})
    return subprocess.run(command, env=e, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)


def program():
    path = os.path.join(WORK, "program")
    if not os.path.exists(path):
        vendor = os.path.join(WORK, "vendor")
        os.mkdir(vendor)
        for name, text in (("library.c", LIBRARY), ("program.c", PROGRAM), ("map", "libcudnn.so.9 { global: *; };")):
            with open(os.path.join(WORK, name), "w") as f:
                f.write(text)
        soname = os.path.join(vendor, "libcudnn.so.9")
        subprocess.check_call([CC, "-shared", "-fPIC", "-o", soname, os.path.join(WORK, "library.c"), "-Wl,-soname,libcudnn.so.9",
                               "-Wl,--version-script," + os.path.join(WORK, "map")])
        subprocess.check_call([CC, "-o", path, os.path.join(WORK, "program.c"), soname, os.path.join(BUILD, "sim/libcudart.so.13"),
                               "-Wl,--allow-shlib-undefined", "-Wl,-rpath-link," + os.path.join(BUILD, "sim"), "-Wl,-rpath," + vendor])
    return path


def test_made_library_wins():
    """a made stand-in goes before an installed library that an RPATH names, and each function returns 0"""
    assert subprocess.run([program()], capture_output=True, text=True, env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "sim"))) \
        .stdout.split()[:2] == ["7", "8"]
    r = run(SIMULATED, program())
    assert r.stdout.split() == ["0", "0", "0", "1"], (r.stdout, r.stderr)
    shutil.rmtree(os.path.join(WORK, "vendor"))
    r = run(SIMULATED, program())
    assert r.stdout.split() == ["0", "0", "0", "1"], (r.stdout, r.stderr)


def test_cache():
    """made once, kept for the owner alone, taken again"""
    run(SIMULATED, program())
    base = os.path.join(WORK, "cache/ovh/sim")
    folders = os.listdir(base)
    assert len(folders) == 1 and os.listdir(os.path.join(base, folders[0])) == ["libcudnn.so.9"], folders
    folder = os.path.join(base, folders[0])
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    before = os.stat(os.path.join(folder, "libcudnn.so.9"))
    run(SIMULATED, program())
    after = os.stat(os.path.join(folder, "libcudnn.so.9"))
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_cache_of_others():
    """a cache that others may write to is refused with one sentence"""
    run(SIMULATED, program())
    base = os.path.join(WORK, "cache/ovh/sim")
    folder = os.path.join(base, os.listdir(base)[0])
    os.chmod(folder, 0o777)
    r = run(SIMULATED, program())
    os.chmod(folder, 0o700)
    assert r.returncode == 2 and r.stderr.count("\n") == 1 and "is not yours alone" in r.stderr, r.stderr


def test_no_cache_place():
    """no place for the cache, a place that is a file: one sentence, status 2"""
    r = run(SIMULATED, program(), XDG_CACHE_HOME=None, HOME=None)
    assert r.returncode == 2 and r.stderr.count("\n") == 1 and "XDG_CACHE_HOME" in r.stderr, r.stderr
    r = run(SIMULATED, program(), XDG_CACHE_HOME="/proc/version")
    assert r.returncode == 2 and r.stderr.count("\n") == 1 and "XDG_CACHE_HOME" in r.stderr, r.stderr


def test_no_libraries():
    """where the simulated libraries are not, it says so"""
    r = run(SIMULATED, program(), OVH_SIM_DIR=WORK)
    assert r.returncode == 2 and "libovhsim.so.1 is not there" in r.stderr, r.stderr


def test_companion():
    """a function that the simulated cudart lacks is there all the same, under its version"""
    source, path = os.path.join(WORK, "lacking.c"), os.path.join(WORK, "lacking")
    library = os.path.join(WORK, "libcudart.so.13")
    with open(source, "w") as f:
        f.write("int cudaNobodyKnowsThis(void); int cudaGetDeviceCount(int *);\n"
                "int main(void) { int n = 0; return cudaNobodyKnowsThis() || cudaGetDeviceCount(&n) || n != 1; }")
    with open(os.path.join(WORK, "lib.c"), "w") as f:
        f.write("int cudaNobodyKnowsThis(void) { return 9; } int cudaGetDeviceCount(int *n) { return 9; }")
    with open(os.path.join(WORK, "map"), "w") as f:
        f.write("libcudart.so.13 { global: *; };")
    subprocess.check_call([CC, "-shared", "-fPIC", "-o", library, os.path.join(WORK, "lib.c"), "-Wl,-soname,libcudart.so.13",
                           "-Wl,--version-script," + os.path.join(WORK, "map")])
    subprocess.check_call([CC, "-o", path, source, library])
    os.remove(library)
    r = run(SIMULATED, path)
    assert r.returncode == 0, (r.returncode, r.stderr)


def test_behind_others():
    """the program may stand behind others: nice, env, a shell's command line; a Python too, by its name or a script's first line"""
    for command in (["nice", program()], ["env", "A=1", program()], ["sh", "-c", "cd / && exec '%s'; true" % program()]):
        r = run(SIMULATED, *command)
        assert r.stdout.split() == ["0", "0", "0", "1"], (command, r.stdout, r.stderr)
    packages = os.path.join(WORK, "packages/torch")
    os.makedirs(packages)
    shutil.copy(program(), os.path.join(packages, "part.so"))  # what a package's library imports is stood in for
    script, shell = os.path.join(WORK, "script"), os.path.join(WORK, "shell.sh")
    for path, text in ((script, "#!%s\nimport ctypes\nprint(ctypes.CDLL('libcudnn.so.9').cudnnMade())\n" % sys.executable),
                       (shell, "#!/bin/sh\nexec %s %s\n" % (sys.executable, script))):
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)
    for command, python in ((["nice", sys.executable, script], None), (["nice", script], None), (["sh", "-c", "exec %s" % script], None),
                            ([shell], sys.executable)):
        r = run(SIMULATED, *command, PYTHONPATH=os.path.dirname(packages), OVH_SIM_PYTHON=python)
        assert r.stdout.split() == ["0"], (command, r.stdout, r.stderr)
    r = run(SIMULATED, shell, OVH_SIM_PYTHON="/nonexistent/python")
    assert r.returncode == 2 and r.stderr.count("\n") == 1 and "OVH_SIM_PYTHON" in r.stderr, r.stderr


def test_other_programs():
    """a program without CUDA runs unchanged; one that is not there is 127"""
    r = run(SIMULATED, "/bin/echo", "hello")
    assert (r.returncode, r.stdout, r.stderr) == (0, "hello\n", "")
    assert run(SIMULATED, "/nonexistent/program").returncode == 127


def test_bad_settings():
    """settings that are no good are named and left out of account"""
    r = run(SIMULATED, program(), OVH_SIM_QUEUE="none", OVH_SIM_COSTS="cudaMalloc=3,nothing,x=-1", OVH_SIM_CLOCK="slow")
    said = r.stderr.splitlines()
    assert r.returncode == 0 and len(said) == 4 and all(line.startswith("ovh-sim: OVH_SIM_") for line in said), r.stderr


def layout(include, version):
    fields = re.findall(r"\{(\d+), (-?\d+), \d+, (\d)\},\s+/\* (\w+) \*/", open(os.path.join(ROOT, "sim/cudart/device.c")).read())
    assert len(fields) > 35, len(fields)
    lines = ["#include <cuda_runtime_api.h>", "#include <stddef.h>"]
    for old, new, size, name in fields:
        offset = int(old if version == 12 else new)
        if offset >= 0:
            lines.append("_Static_assert(offsetof(struct cudaDeviceProp, %s) == %d, \"%s\");" % (name, offset, name))
            if not name.startswith("max"):  # of arrays the first element is named
                lines.append("_Static_assert(sizeof(((struct cudaDeviceProp *)0)->%s) == %s, \"%s\");" % (name, size, name))
    lines.append("_Static_assert(sizeof(struct cudaDeviceProp) == %d, \"size\");" % (1032 if version == 12 else 1008))
    lines.append("_Static_assert(sizeof(struct cudaPointerAttributes) == %d, \"pointer\");" % (24 if version == 12 else 88))
    lines.append("_Static_assert(offsetof(struct cudaFuncAttributes, maxThreadsPerBlock) == 24, \"function\");")
    lines.append("_Static_assert(sizeof(struct cudaFuncAttributes) == 144, \"function\");")
    lines.append("_Static_assert(offsetof(struct cudaDeviceProp, uuid) == 256 && offsetof(struct cudaDeviceProp, totalGlobalMem) == 288, \"head\");")
    source = os.path.join(WORK, "layout%d.c" % version)
    with open(source, "w") as f:
        f.write("\n".join(lines) + "\n")
    r = subprocess.run([CC, "-fsyntax-only"] + ["-I" + i for i in include] + [source], capture_output=True, text=True)
    assert r.returncode == 0, r.stderr


def headers(version):
    places = [p.split(os.pathsep) for p in (os.environ.get("OVH_CUDA_INCLUDE_%d" % version, ""),) if p]
    places += [[os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include")]]
    for place in places:
        try:
            text = open(os.path.join(place[0], "cuda_runtime_api.h")).read()
        except OSError:
            continue
        found = re.search(r"#define CUDART_VERSION\s+(\d+)", text)
        if found and int(found.group(1)) // 1000 == version:
            return place
    skip("no headers of CUDA %d here (OVH_CUDA_INCLUDE_%d names a folder)" % (version, version))


def test_layout_13():
    """device properties lie where CUDA 13's headers say"""
    layout(headers(13), 13)


def test_layout_12():
    """device properties lie where CUDA 12's headers say"""
    layout(headers(12), 12)


def test_variables():
    """every OVH_SIM_ variable that the code reads is in docs/simulated-device.md, and the reverse"""
    code = set()
    for folder in ("sim/device", "record"):
        for name in os.listdir(os.path.join(ROOT, folder)):
            if name.endswith(".c"):
                code |= set(re.findall(r'"(OVH_SIM_[A-Z_]*[A-Z])"', open(os.path.join(ROOT, folder, name)).read()))
    document = set(re.findall(r"^\| `(OVH_SIM_[A-Z_]+)`", open(os.path.join(ROOT, "docs/simulated-device.md")).read(), re.M))
    assert len(code) >= 10 and code == document, code ^ document


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
