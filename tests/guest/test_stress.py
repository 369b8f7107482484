#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts in trouble, or that make it (stress.c): the host is unharmed, at most one line is said, every call is in the trace or counted."""
import os
from guest import BUILD, EMULATOR, entered, files, folder, host, lost, main, read, skip
from test_space import in_mount, one_line

STRESS = os.path.join(BUILD, "stress")
NO_ROOM = "events are written every 50 ms"


def stress(where, *arguments, **settings):
    status, truth, stderr = host(where, *arguments, program=STRESS, **settings)
    if "cannot" in truth:
        skip("not allowed here")
    assert status == 0, (arguments, status, stderr)
    return truth, stderr


def all_are_there(*arguments, **settings):
    """Every call that the program made, in one trace of its own; nothing said."""
    with folder() as d:
        truth, stderr = stress(d, *arguments, **settings)
        t = read(d)
        assert stderr == "" and files(d) == ["trace.bin"], (stderr, files(d))
        assert entered(t) == truth["calls"][0] and lost(t) == 0 and t.end, (entered(t), lost(t), truth)
        return truth, t


def test_sixty_four_threads_at_once():
    _, t = all_are_there("at-once", 3000, OVH_CHUNK="16K")
    assert len(t.events) == 64 and all(sum(e.what == "ENTER" for e in events) == 3000 for events in t.events.values())


def test_ten_thousand_threads_come_and_go():
    n = 960 if EMULATOR else 10016
    _, t = all_are_there("come-and-go", n)
    assert len(t.events) == n and t.strides < 40, (len(t.events), t.strides)


def test_the_smallest_stack_of_a_thread():
    all_are_there("small-stack", 20000, OVH_CHUNK="16K")
    all_are_there("small-stack", 20000, OVH_CHUNK="16K", OVH_KEEPER="off")


def test_first_calls_on_a_signal_stack():
    all_are_there("signal-stack", 3000, OVH_CHUNK="16K")
    all_are_there("signal-stack", 3000, OVH_CHUNK="16K", OVH_KEEPER="off")


def test_a_thread_is_cancelled():
    """a thread is cancelled inside a hooked call; another one that is asked to end before its first call ends where the program lets it, not in the
    recorder"""
    with folder() as d:
        truth, stderr = stress(d, "cancel", 4, OVH_CHUNK="16K", OVH_KEEPER="off")
        t = read(d)
        assert stderr == "" and truth["cancelled"] == [8] and truth["survived"] == [1] * 4 and "not cancelled" not in truth, (truth, stderr)
        assert entered(t, "cudaGetDevice") == truth["calls"][0] and entered(t, "cudaLaunchHostFunc") == 4 and lost(t) == 0


def test_children_that_share_memory():
    """vfork, clone(CLONE_VM): what such a child calls is its parent's, who stays whole"""
    if EMULATOR:
        skip("the emulator makes a fork of it")
    truth, t = all_are_there("share-memory", 30000, OVH_CHUNK="16K")
    assert truth["vfork"] == truth["clone"] == [7] and t.head["pid"] == truth["pid"][0]


def test_a_fork_without_handlers():
    """a child made by clone(2) alone runs on, and nothing of it is in its parent's trace"""
    if EMULATOR:
        skip("the emulator does not pass MADV_WIPEONFORK on")
    with folder() as d:
        truth, stderr = stress(d, "raw-fork", 100000, OVH_CHUNK="16K")
        t = read(d)
        assert truth["status"] == [7] and stderr == "" and files(d) == ["trace.bin"]
        assert entered(t) == 10 and lost(t) == 0 and t.end and len(t.events[1]) < 50, len(t.events[1])


def test_no_address_space():
    if EMULATOR:
        skip("the limit would be the emulator's")
    for room in (100, 400, 1000):
        with folder() as d:
            truth, stderr = stress(d, "address-space", room)
            assert truth["calls"] == [400000]
            one_line(stderr, "out of memory")
            if files(d):
                t = read(d)
                assert 2 * entered(t) + lost(t) >= 399900, (room, entered(t), t.losses)


def test_no_descriptors():
    for n in (3, 4):
        with folder() as d:
            truth, stderr = stress(d, "few-files", n)
            assert truth["calls"] == [200000] and files(d) == []
            one_line(stderr, "too many open files")


def test_another_root():
    with folder() as d:
        truth, stderr = stress(d, "chroot", 0)
        t = read(d)
        assert stderr == "" and entered(t) == truth["calls"][0] and lost(t) == 0
    with folder() as d:
        truth, stderr = stress(d, "chroot", 1)
        t = read(d)
        one_line(stderr, "was closed by the program")
        assert 2 * entered(t) + lost(t) >= 2 * truth["calls"][0] - 100 and files(d + "/jail") == []


def refused(what, before=0, after=100000, **settings):
    """(calls, stderr, trace or None) of a program that the kernel refuses these system calls."""
    if EMULATOR:
        skip("the filter would be the emulator's")
    with folder() as d:
        truth, stderr = stress(d, "refuse", what, before, after, OVH_CHUNK="64K", **settings)
        assert truth["calls"] == [before + after], (what, truth)
        assert [f for f in files(d) if f != "trace.bin"] == [], (what, files(d))
        return truth["calls"][0], stderr, read(d) if files(d) else None


def test_refused_and_not_needed():
    """what can be done without: everything is recorded, nothing is said"""
    for before in (0, 5):
        for what in ("clone=1,clone3=1", "clone=11,clone3=38", "flock=1", "flock=37", "renameat2=1", "renameat2=38", "fcntl=1", "madvise=1", "ftruncate=1",
                     "prctl=1", "getdents64=1", "tgkill=1", "unlinkat=38", "newfstatat=1", "munmap=1"):
            n, stderr, t = refused(what, before)
            assert stderr == "" and t and entered(t) == n and lost(t) == 0, (what, stderr, t and entered(t))


def test_space_that_cannot_be_allocated_or_mapped():
    """fallocate as on NFS, mappings as on 9p, either forbidden by a sandbox: memory stands in, and the trace says so"""
    for what in ("fallocate=95", "fallocate=38", "fallocate=1", "mmap=1", "mmap=19", "mmap=13"):
        n, stderr, t = refused(what)
        assert stderr == "" and entered(t) == n and lost(t) == 0 and t.end and any(NO_ROOM in note for note in t.notes), (what, stderr, t.notes)


def test_refused_from_the_start():
    for what, reason in (("fallocate=28", "no space left"), ("fallocate=122", "quota"), ("openat=1", "not permitted"), ("openat=24", "too many open files"),
                         ("mmap=12", "out of memory"), ("fallocate=95,pwrite64=28", "no space left")):
        _, stderr, t = refused(what)
        one_line(stderr, "nothing is recorded", reason)
        assert t is None, what


def test_refused_in_the_middle():
    for what, reason in (("fallocate=28", "no space left"), ("fallocate=122", "quota"), ("mmap=1", "not permitted"), ("mmap=12", "out of memory")):
        n, stderr, t = refused(what, 5, OVH_KEEPER="off")  # the filter is the main thread's: a helper would not be refused
        one_line(stderr, "recording stops", reason)
        assert 2 * entered(t) + lost(t) >= 2 * n - 100 and entered(t) > 5 and any("stopped" in note for note in t.notes), (what, entered(t), lost(t))


def test_a_full_disk_that_cannot_allocate():
    """no fallocate, and the disk is full later: what was written stays and is told apart, one line"""
    if EMULATOR:
        skip("the filter would be the emulator's")

    def check(d):
        truth, stderr = stress(d, "refuse", "fallocate=95", 0, 800000, OVH_CHUNK="64K")
        t = read(d)
        one_line(stderr, "recording stops", "no space left")
        assert truth["calls"] == [800000] and entered(t) > 1000 and any(NO_ROOM in note for note in t.notes), (entered(t), t.notes)
    in_mount("tmpfs", "size=1m", check)


if __name__ == "__main__":
    main()
