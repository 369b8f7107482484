#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hook tables: their form, that they expand everywhere and agree with real CUDA headers, and that a wrong line is found."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from compare import layout_program, read_reasons, reason_for, run_program
from cuda_headers import header_sets
from hook_lines import LIBRARIES, faults_within, read_tables
from tap import main, skip

TABLES = os.path.join(ROOT, "include/ovh/hooks")
CC = os.environ.get("CC", "gcc")
STRICT = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-value"]
os.chdir(ROOT)


def headers_are_here():
    """Header sets, fetched once from PyPI where there is no toolkit; skips where neither is to be had."""
    sets = header_sets(CC)
    if not sets and os.environ.get("OVH_TEST_OFFLINE") != "1":
        subprocess.run([os.path.join(HERE, "fetch_headers.py")], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        sets = header_sets(CC)
    return sets or skip("no CUDA headers here and none fetched")


def check(*arguments):
    command = [sys.executable, os.path.join(HERE, "check_tables.py"), *arguments]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return p.returncode, p.stdout.decode(errors="replace")


def check_broken(table, old, new, expect):
    """Copies the tables, puts `new` in place of `old` once, and wants exit status 1 and a fault that says `expect`."""
    sets = headers_are_here()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(TABLES, os.path.join(folder, "hooks"))
        path = os.path.join(copy, table)
        with open(path) as f:
            text = f.read()
        assert text.count(old) == 1, "%s: %r stands %d times" % (table, old, text.count(old))
        with open(path, "w") as f:
            f.write(text.replace(old, new))
        number = text[:text.index(old)].count("\n") + 1
        status, out = check("--tables", copy, "--headers", sets[0].folder)
    assert status == 1, "exit status %s:\n%s" % (status, out[-2000:])
    assert re.search(r"%s:%d: .*%s" % (re.escape(table), number, expect), out), out[-2000:]


def test_form():
    """Every line reads, no name or version stands twice, `does` names arguments"""
    lines = read_tables(TABLES)
    assert len(lines) > 1000, len(lines)
    assert faults_within(lines) == [], faults_within(lines)


def test_expand():
    """The tables expand: names, kinds and arguments are those of the lines"""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "expand")
        subprocess.run([CC, *STRICT, "-Iinclude", "-o", program, os.path.join(HERE, "expand.c")], check=True)
        out = subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout.decode()
    want = sum(1 + (x.twin != "NONE") for x in read_tables(TABLES))
    assert out == "%d hooks\n" % want, out


def test_expand_aarch64():
    """The tables expand for aarch64"""
    cross = shutil.which("aarch64-linux-gnu-gcc") or skip("no aarch64-linux-gnu-gcc here")
    subprocess.run([cross, *STRICT, "-Iinclude", "-c", "-o", os.devnull, os.path.join(HERE, "expand.c")], check=True)


def test_agree():
    """All lines agree with all header sets that are here"""
    headers_are_here()
    status, out = check()
    assert status == 0, out[-4000:]


def test_wrong_type():
    """A wrong argument type is found"""
    check_broken("cudart.def", "HOOK(cudaError_t, cudaSetDevice, NONE, SET, (int, device))",
                 "HOOK(cudaError_t, cudaSetDevice, NONE, SET, (long, device))", "cudaSetDevice: conflicting types")


def test_missing_argument():
    """A missing argument is found"""
    check_broken("driver.def", "(CUdeviceptr *, dptr), (size_t, bytesize))\nDRIVER(CUresult, cuMemAllocAsync",
                 "(CUdeviceptr *, dptr))\nDRIVER(CUresult, cuMemAllocAsync", "cuMemAlloc_v2: conflicting types")


def test_wrong_enum():
    """An int in the place of an enum is found"""
    check_broken("cudart.def", "(size_t, count), (enum cudaMemcpyKind, kind))\nHOOK(cudaError_t, cudaMemcpy2D,",
                 "(size_t, count), (int, kind))\nHOOK(cudaError_t, cudaMemcpy2D,", "cudaMemcpy: conflicting types")


def test_wrong_version():
    """A version that cuGetProcAddress does not know is found"""
    check_broken("driver.def", "cuStreamBeginCapture_v2, cuStreamBeginCapture, 10010,",
                 "cuStreamBeginCapture_v2, cuStreamBeginCapture, 10020,", "has no version 10020")


def test_missing_version():
    """A version that is left out, so that its callers would get another prototype's wrapper, is found"""
    with open(os.path.join(TABLES, "driver.def")) as f:
        line = re.search(r"^DRIVER\(CUresult, cuStreamGetCaptureInfo_v3, .*\n", f.read(), re.M).group(0)
    headers_are_here()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(TABLES, os.path.join(folder, "hooks"))
        path = os.path.join(copy, "driver.def")
        with open(path) as f:
            text = f.read().replace(line, "")
        with open(path, "w") as f:
            f.write(text)
        status, out = check("--tables", copy)
    assert status == 1 and "version 12030 of cuStreamGetCaptureInfo is missing" in out, out[-2000:]


def test_wrong_twin():
    """A twin that the headers do not have is found"""
    check_broken("cudart.def", "cudaStreamSynchronize, PTSZ,", "cudaStreamSynchronize, NONE,", "twin is NONE, the header has PTSZ")


def test_stands_twice():
    """A name that stands twice is found"""
    line = "HOOK(cudaError_t, cudaDeviceReset, NONE, PLAIN)\n"
    check_broken("cudart.def", line, "HOOK(cudaError_t, cudaGetDeviceCount, NONE, QUERY, (int *, count))\n" + line, "stands twice")


def test_wrong_name_in_does():
    """A word of `does` that names no argument is found"""
    check_broken("cudart.def", "FREE(devPtr, 0)", "FREE(pointer, 0)", "`does` names pointer")


def test_wrong_layout():
    """A struct of cuda_types.h that differs from CUDA's is found"""
    sets = headers_are_here()
    theirs = run_program(CC, layout_program(sets[0].includes("cudart"), {"dim3"}, "cudart"), ["-I", sets[0].folder])
    program = layout_program('#include "ovh/cuda_types.h"\n', {"dim3"}, "cudart")
    assert run_program(CC, program, ["-Iinclude"]) == theirs
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("include", os.path.join(folder, "include"))
        path = os.path.join(folder, "include/ovh/cuda_types.h")
        with open(path) as f:
            text = f.read()
        assert "size_t width, height, depth;" in text
        with open(path, "w") as f:
            f.write(text.replace("size_t width, height, depth;", "size_t height, width, depth;"))
        assert run_program(CC, program, ["-I", os.path.join(folder, "include")]) != theirs


def test_forgotten():
    """A function of the headers that is in no table and has no reason is found"""
    sets = headers_are_here()
    line = "HOOK(cudaError_t, cudaDeviceReset, NONE, PLAIN)\n"
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(TABLES, os.path.join(folder, "hooks"))
        path = os.path.join(copy, "cudart.def")
        with open(path) as f:
            text = f.read()
        assert text.count(line) == 1
        with open(path, "w") as f:
            f.write(text.replace(line, ""))
        status, out = check("--tables", copy, "--headers", sets[0].folder)
    assert status == 1 and "cudaDeviceReset is neither hooked nor in not_hooked.txt" in out, out[-2000:]


def test_reasons():
    """Every line of not_hooked.txt has a reason, names a table, and is about no hooked function by its full name"""
    hooked = {(x.library, x.name) for x in read_tables(TABLES)}
    reasons = read_reasons(os.path.join(HERE, "not_hooked.txt"))
    assert reasons and all(len(x) == 3 and x[0] in LIBRARIES for x in reasons), reasons
    assert not [x for x in reasons if x[:2] in hooked]
    assert reason_for("cusparse", "cusparseNeverSeen", reasons) and not reason_for("cudart", "cudaNeverSeen", reasons)


def test_documented_example():
    """The line that docs/adding-a-hook.md adds agrees with the headers and expands"""
    with open("docs/adding-a-hook.md") as f:
        line = re.search(r"^HOOK\(cusparse.*$", f.read(), re.M).group(0)
    sets = [s for s in headers_are_here() if s.has("cusparse")] or skip("no cuSPARSE headers here")
    with tempfile.TemporaryDirectory() as folder:
        include = shutil.copytree("include", os.path.join(folder, "include"))
        with open(os.path.join(include, "ovh/hooks/cusparse.def"), "a") as f:
            f.write(line + "\n")
        status, out = check("--tables", os.path.join(include, "ovh/hooks"), "--headers", sets[0].folder)
        assert status == 0, out[-2000:]
        subprocess.run([CC, *STRICT, "-I", include, "-c", "-o", os.devnull, os.path.join(HERE, "expand.c")], check=True)


def test_not_a_table():
    """A line that is no table line is one sentence and status 2"""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(TABLES, os.path.join(folder, "hooks"))
        with open(os.path.join(copy, "cublas.def"), "a") as f:
            f.write("HOOK(cublasStatus_t, cublasNew, SOME, PLAIN)\n")
        status, out = check("--tables", copy)
    assert status == 2 and "twin is NONE, PTSZ or PTDS, not SOME" in out and out.count("\n") == 1, out


if __name__ == "__main__":
    main()
