#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which name the trace takes, and whose files are left alone."""
import os
import stat
from guest import entered, files, finish, folder, host, main, read, start


def test_the_file_is_private_and_locked_names_do_not_clash():
    with folder() as d:
        first, second = start(d, "wait"), start(d, "wait")
        assert files(d) == ["trace.%d.bin" % second.pid, "trace.bin"]
        assert all(stat.S_IMODE(os.lstat(d + "/" + f).st_mode) == 0o600 for f in files(d))
        finish(first)
        finish(second)
        assert read(d).head["pid"] == first.pid


def test_a_finished_trace_is_kept_as_old():
    with folder() as d:
        for n in (1, 2, 3):
            host(d, "calls", n)
        assert files(d) == ["trace.bin", "trace.bin.old"] and entered(read(d)) == 3 and entered(read(d, "trace.bin.old")) == 2


def test_a_killed_trace_counts_as_finished():
    with folder() as d:
        p = start(d, "wait")
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()
        host(d, "calls", 2)
        assert files(d) == ["trace.bin", "trace.bin.old"] and entered(read(d, "trace.bin.old")) == 3


def test_under_a_launcher_the_rank_is_in_the_name():
    with folder() as d:
        host(d, "calls", 2, RANK="3", WORLD_SIZE="8", LOCAL_RANK="1")
        assert files(d) == ["trace.rank3.bin"]
        values = read(d, "trace.rank3.bin").values
        assert (values["rank"], values["world_size"], values["local_rank"]) == ("3", "8", "1")


def test_a_rank_that_is_no_number_names_no_file():
    with folder() as d:
        host(d, "calls", 2, RANK="../../x")
        assert files(d) == ["trace.bin"]


def test_control_characters_reach_no_name_and_no_terminal():
    with folder() as d:
        host(d, "calls", 2, OVH_OUT="a\nb\x1b[31m.bin", RANK="1\n2")
        assert files(d) == ["a?b?[31m.bin"]
        _, _, stderr = host(d, "calls", 2, OVH_OUT="no\n\x1b[31m/x.bin")
        assert stderr.count("\n") == 1 and "\x1b" not in stderr and "no??[31m/x.bin" in stderr, stderr


def test_out_names_a_file_or_a_folder():
    with folder() as d:
        os.mkdir(d + "/into")
        host(d, "calls", 1, OVH_OUT="te.bin")
        host(d, "calls", 2, OVH_OUT=d + "/into")
        host(d, "calls", 3, OVH_OUT="into/x.trace", RANK="0")
        assert files(d) == ["into", "te.bin"] and files(d + "/into") == ["trace.bin", "x.rank0.trace"]


def test_a_symbolic_link_is_not_followed():
    with folder() as d:
        with open(d + "/x", "w") as f:
            f.write("somebody's own")
        os.symlink("x", d + "/trace.bin")
        host(d, "calls", 2)
        assert os.readlink(d + "/trace.bin") == "x" and open(d + "/x").read() == "somebody's own"
        assert len(files(d)) == 3 and entered(read(d, files(d)[0])) == 2


def test_a_device_or_a_pipe_takes_no_trace_and_gets_no_neighbour():
    with folder() as d:
        os.mkfifo(d + "/pipe")
        os.symlink("/dev/null", d + "/link")
        before = sorted(os.listdir("/dev"))
        for out in ("/dev/null", "/dev/stdout", "pipe", "link"):
            status, truth, stderr = host(d, "calls", 2, OVH_OUT=out)
            assert (status, truth["calls"]) == (0, [2]), out
            assert stderr.endswith("cannot be made, nothing is recorded: is a device, a pipe or a socket\n") and stderr.count("\n") == 1, stderr
        assert files(d) == ["link", "pipe"] and sorted(os.listdir("/dev")) == before


def test_a_name_that_is_too_long_is_not_cut():
    with folder() as d:
        status, truth, stderr = host(d, "calls", 2, OVH_OUT="x" * 201)
        assert (status, truth["calls"], files(d)) == (0, [2], []) and stderr.endswith("nothing is recorded: name too long\n"), stderr
        host(d, "calls", 2, OVH_OUT="x" * 200, RANK="12345678")
        assert files(d) == ["x" * 200 + ".rank12345678"]


def test_a_file_that_is_no_trace_is_left_alone():
    with folder() as d:
        with open(d + "/trace.bin", "w") as f:
            f.write("somebody's own")
        host(d, "calls", 2)
        assert open(d + "/trace.bin").read() == "somebody's own" and len(files(d)) == 2


def test_descriptors_that_the_host_closes():
    with folder() as d:
        status, truth, stderr = host(d, "close-all", 100000, OVH_CHUNK="16K")
        assert status == 0 and os.path.getsize(d + "/mine") == 0
        assert entered(read(d)) == truth["calls"][0], stderr


if __name__ == "__main__":
    main()
