#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Beside other guests of the loader: allocators, another dlsym, signal handlers, LD_AUDIT, sanitizers. A host with threads that
allocate, look names up, load a module and launch, all at once: the same words as without us, every real call made once and in the
trace."""
import collections
import os
import re
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from lab import CC, Seen, compile_, library, run
from tap import main, skip

library("libcuda.so.1", "fakes/driver.c")
RUNTIME = {v: library("libcudart.so.%d" % v, "fakes/runtime.c", "-DVERSION=%d" % v, node="libcudart.so.%d" % v) for v in (12, 13)}
PLUGIN = library("plugin12.so", "programs/plugin.c", "-DVERSION=12", RUNTIME[12])
CROWD = compile_("crowd", "programs/crowd.c", RUNTIME[13])
BOTH = ("before", "after")
REAL = re.compile(r"real (?:1[23] )?(\w+)")
CALLS = ("cudaGetDevice", "cudaLaunchKernel", "cuLaunchKernel", "cudaStreamGetCaptureInfo")


def words(lines):
    """What was said, in no order: the lines of the threads interleave, and addresses differ from run to run"""
    return collections.Counter(re.sub(r"0x[0-9a-f]+", "ADDRESS", line) for line in lines)


def beside(program=CROWD, expect=0, arguments=(), calls=CALLS, **how):
    """The program under us and what `how` adds (run's arguments), against the same without us."""
    bare = run(program, PLUGIN, *arguments, preload=None, expect=expect, **how)[0]
    lines, folder = run(program, PLUGIN, *arguments, expect=expect, **how)
    assert any(re.fullmatch(r"right (\d+) of \1", line) for line in bare), [x for x in bare if not x.startswith("real")][:20]
    only = (words(bare) - words(lines), words(lines) - words(bare))
    assert not any(only), "only without us: %s; only with: %s" % only
    real = collections.Counter(REAL.match(line)[1] for line in lines if line.startswith("real "))
    recorded = collections.Counter(path.split("/")[-1] for path in Seen(folder).paths)
    for name in calls:
        assert real[name] == recorded[name] > 0, (name, real[name], recorded[name])


def installed(name):
    """The library file of that name, as the loader would find it"""
    lines = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = [line.split()[-1] for line in lines if line.split()[:1] == [name]]
    if not found:
        skip("no " + name)
    return found[0]


def with_allocator(name):
    def test():
        for place in BOTH:
            beside(**{place: [installed(name)]})
    test.__doc__ = "%s, preloaded before us and behind us" % name
    return test


test_jemalloc, test_tcmalloc = with_allocator("libjemalloc.so.2"), with_allocator("libtcmalloc_minimal.so.4")


def test_hungry_malloc():
    """a malloc that looks names up: look-ups of hooked names allocate no more than glibc's own, and end"""
    program = compile_("hungry", "programs/hungry.c")
    bare, ours = run(program, preload=None)[0], run(program)[0]
    assert bare == ours and len(ours) == 18, [x for x in zip(bare, ours) if x[0] != x[1]]
    assert all("malloc called 0 times" in line for line in ours if ": found" in line), ours


def test_driver_looked_into():
    """a driver that is opened and closed again, each time elsewhere: every call through a pointer of dlsym is seen"""
    program = compile_("reload", "programs/reload.c")
    bare, (lines, folder) = run(program, "20", preload=None)[0], run(program, "20")
    assert bare == lines and "places 20" in lines, lines[-1]
    seen = Seen(folder)
    assert seen.paths.count("cuLaunchKernel") == 20 and not seen.trace.losses, (seen.paths, seen.trace.losses)


def test_drivers_kept():
    """five drivers in one process: the calls of three are seen, the others counted, though no launch follows"""
    copies = [library("libcuda.so.1", "fakes/driver.c", name="copy%d/libcuda.so.1" % i) for i in range(5)]
    program = compile_("reload", "programs/reload.c")
    bare, (lines, folder) = run(program, "0", *copies, preload=None)[0], run(program, "0", *copies)
    seen = Seen(folder)
    assert words(bare) == words(lines) and seen.paths == ["cuLaunchKernel"] * 3, (lines, seen.paths)
    assert seen.trace.losses == {(5, "CUDA functions"): 2}, seen.trace.losses


def test_another_dlsym_behind():
    """another preload's dlsym behind ours"""
    beside(after=[library("libdlsym.so", "programs/dlsym.c")])


def test_another_dlsym_before():
    """another preload's dlsym before ours: launches of the driver are hidden from us, all else is the same"""
    beside(before=[library("libdlsym.so", "programs/dlsym.c")], calls=[name for name in CALLS if name != "cuLaunchKernel"])


def test_signal_handlers():
    """a preload that samples by a timer's signal, and says a word when the program crashes: the same death, all calls in the trace"""
    crashes = library("libcrashes.so", "programs/crashes.c")
    for place in BOTH:
        beside(expect=-11, arguments=["crash"], **{place: [crashes]})


def test_auditor():
    """LD_AUDIT that looks at every binding"""
    beside(environment={"LD_AUDIT": library("libauditor.so", "programs/auditor.c")})


def test_auditor_of_calls():
    """LD_AUDIT that looks at every call through the PLT"""
    beside(environment={"LD_AUDIT": library("libauditor.so", "programs/auditor.c", "-DCALLS")})


def sanitized(kind, **environment):
    try:
        program = compile_("crowd-" + kind, "programs/crowd.c", RUNTIME[13], "-fsanitize=" + kind)
        run(program, PLUGIN, preload=None, environment=environment)
    except AssertionError as e:
        skip("no program with -fsanitize=%s runs here: %s" % (kind, str(e).splitlines()[-1]))
    return program


def with_sanitizer(kind, **environment):
    def test():
        beside(sanitized(kind, **environment), environment=environment)
    test.__doc__ = "a host built with -fsanitize=" + kind
    return test


test_undefined, test_leak_sanitizer = with_sanitizer("undefined"), with_sanitizer("leak")
# Else it reports what the loader does.
test_thread_sanitizer = with_sanitizer("thread", TSAN_OPTIONS="ignore_noninstrumented_modules=1")


def test_address_sanitizer():
    """a host built with -fsanitize=address: it runs with verify_asan_link_order=0, or with its runtime preloaded before us
    Else it says that it wants to be first, as behind any preload."""
    program = sanitized("address")
    runtime = subprocess.run([CC, "-print-file-name=libasan.so"], stdout=subprocess.PIPE, text=True).stdout.strip()
    beside(program, environment={"ASAN_OPTIONS": "verify_asan_link_order=0"})
    beside(program, before=[os.path.realpath(runtime)])
    said, _ = run(program, PLUGIN, expect=1)
    assert len(said) == 1 and "ASan runtime does not come first" in said[0], said


if __name__ == "__main__":
    main()
