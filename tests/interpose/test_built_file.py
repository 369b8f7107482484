#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built libovh.so as a loader sees it: exports, needs, versions."""
import os
import re
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from lab import CC, OVH, ROOT, TWIN
from tap import main

READELF = CC.replace("gcc", "readelf") if "gcc" in CC else "readelf"


def elf(option, file=OVH):
    return subprocess.run([READELF, "-W", option, file], check=True, stdout=subprocess.PIPE, text=True).stdout


def names(file=OVH):
    """[(name with version, is defined)]"""
    rows = [line.split() for line in elf("--dyn-syms", file).splitlines()]
    return [(r[7], r[6] != "UND") for r in rows if len(r) >= 8 and r[0].rstrip(":").isdigit() and r[4] != "LOCAL"]


def table_names():
    """The tables read with a regular expression, not by the preprocessor that makes the library."""
    found = set()
    for table in re.findall(r"hooks/(\w+)\.def", open(os.path.join(ROOT, "include/ovh/hooks/all.def")).read()):
        with open(os.path.join(ROOT, "include/ovh/hooks", table + ".def")) as f:
            for line in f:
                m = re.match(r"(?:HOOK|DRIVER|VOID_HOOK|(?:OLDER|NEWER)\(\d+,)", line)
                if not m:
                    continue
                fields = [x.strip() for x in line[line.index("(") + 1:].split(",")]
                if line.startswith(("OLDER", "NEWER")):
                    fields = fields[1:]
                if not line.startswith("VOID_HOOK"):
                    fields = fields[1:]
                name, twin = fields[0], fields[3 if line.startswith("DRIVER") else 1]
                assert twin in ("NONE", "PTSZ", "PTDS"), line
                found |= {name} | ({name + "_" + twin.lower()} if twin != "NONE" else set())
    return found


def test_exports():
    """exported: the tables' names, dlsym, dlclose and what NVTX asks for, nothing else, without versions; the twin's are the same"""
    exported = {n for n, defined in names() if defined}
    expected = table_names() | {"dlsym", "dlclose", "InitializeInjectionNvtx2"}
    assert len(expected) > 400 and exported == expected, (exported - expected, expected - exported)
    assert {n for n, defined in names(TWIN) if defined} == expected


def test_needs():
    """needed: the C library only, with libdl and libpthread, where old systems have part of it"""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", elf("-d")))
    assert needed <= {"libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2"}, needed
    assert {"libdl.so.2", "libpthread.so.0"} <= needed, needed


def test_versions():
    """no symbol newer than glibc 2.31"""
    versions = {tuple(int(x) for x in v.split(".")) for v in re.findall(r"GLIBC_([0-9.]+)", elf("-V"))}
    assert versions and max(versions) <= (2, 31), versions
    unversioned = [n for n, defined in names() if not defined and "@" not in n and not n.startswith(("_ITM", "__gmon", "__cxa"))]
    assert unversioned == [], unversioned


def test_static_tls():
    """one 8-byte word of static TLS: a library that is loaded late has little room"""
    tls = [line.split() for line in elf("-l").splitlines() if line.split()[:1] == ["TLS"]]
    assert len(tls) == 1 and int(tls[0][5], 16) == 8, tls


if __name__ == "__main__":
    main()
