#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ovh-record: what it does to the command's arguments, environment, signals and status, and what it says."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import main

OUT = os.path.abspath(os.environ.get("OUT", "."))
RECORD = os.path.join(OUT, "ovh-record")
LIBRARY = os.path.join(OUT, "libovh.so")
SHOW = [sys.executable, "-c", "import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))"]


def record(*words, tool=RECORD, env=None, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVH_") and k != "LD_PRELOAD"}
    environment.update(env or {})
    with tempfile.TemporaryDirectory() as folder:
        more.setdefault("cwd", folder)
        return subprocess.run([tool, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **more)


def shown(*words, **more):
    """Arguments and environment as the command got them."""
    p = record(*words, **more)
    assert p.returncode == 0, p
    return json.loads(p.stdout)


def test_status_of_the_command():
    for status in (0, 1, 3, 77, 255):
        assert record("--", "sh", "-c", "exit %d" % status).returncode == status


def test_128_and_the_signal_where_one_ended_the_command():
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
        assert record("--", "sh", "-c", "kill -%d $$" % number).returncode == 128 + number


def test_detail_sets_the_levels():
    for word in ("auto", "2", "0,2", "0,1,2,3"):
        _, environment = shown("--detail", word, "--", *SHOW)
        assert environment["OVH_DETAIL"] == word
    for word in ("4", "", "high", "0,", ",1", "1,,2", "12", "-1"):
        p = record("--detail", word, "--", "true")
        assert p.returncode == 2 and "is no level of detail" in p.stderr, (word, p.returncode, p.stderr)


def test_when_to_record():
    _, environment = shown("--delay", "1.5", "--duration=20", "--", *SHOW)
    assert (environment["OVH_DELAY"], environment["OVH_DURATION"]) == ("1.5", "20")
    for words in (["--delay", "soon"], ["--duration", "-1"], ["--delay", "."], ["--duration", "1e3"], ["--delay", ""], ["-d", "1.2.3"]):
        p = record(*words, "--", "true")
        assert p.returncode == 2 and p.stderr.count("\n") == 1 and "is no number of seconds" in p.stderr, p


def test_which_steps_to_record():
    _, environment = shown("--unit", "train_step", "--steps", "100:109", "--", *SHOW)
    assert (environment["OVH_STEPS"], environment["OVH_UNIT"]) == ("100:109", "train_step")
    assert shown("--steps=7", "-u", "nvtx:step", "--", *SHOW)[1]["OVH_STEPS"] == "7:7"
    assert shown("-n", "7:", "--set", "UNIT=f", "--", *SHOW)[1]["OVH_STEPS"] == "7:"
    assert shown("-n", "7:", "--", *SHOW, env={"OVH_UNIT": "f"})[1]["OVH_STEPS"] == "7:"
    for value in ("0:3", "5:4", "a:b", "3:4:5", ":4", "-1:3", "", "1:x", "1e3"):
        p = record("--unit", "f", "--steps", value, "--", "true")
        assert p.returncode == 2 and p.stderr.count("\n") == 1 and "is no range of steps" in p.stderr, p
    for words, why in ((["--steps", "1:2"], "what is a step?"), (["--steps", "1:2", "--unit", "f", "--delay", "3"], "give one of them")):
        p = record(*words, "--", "true")
        assert p.returncode == 2 and p.stderr.count("\n") == 1 and why in p.stderr, p


def test_127_for_a_command_that_is_not_there():
    p = record("--", "/nowhere/at-all")
    assert p.returncode == 127, p
    assert p.stderr == "ovh-record: /nowhere/at-all: cannot be run: No such file or directory\n", p.stderr


def test_126_for_a_command_that_cannot_be_executed():
    p = record("--", "/etc/passwd")
    assert p.returncode == 126 and "Permission denied" in p.stderr and p.stderr.count("\n") == 1, p


def test_arguments_arrive_as_they_were_given():
    odd = ["", " ", "a b", "'", '"', "$HOME", "`id`", "\\", "*", "-o", "--help", "--", "-", "é\n\t", "x=y", ";", "&&"]
    arguments, _ = shown("--", *SHOW, *odd)
    assert arguments == odd, arguments


def test_options_end_at_the_command_also_without_two_dashes():
    arguments, environment = shown("-o", "mine.bin", *SHOW, "-o", "theirs.bin", "--sim")
    assert arguments == ["-o", "theirs.bin", "--sim"], arguments
    assert environment["OVH_OUT"].endswith("/mine.bin")


def test_environment_of_the_command():
    _, environment = shown("-o", "t.bin", "--", *SHOW)
    assert environment["LD_PRELOAD"] == LIBRARY, environment["LD_PRELOAD"]
    assert os.path.isabs(environment["OVH_OUT"]) and environment["OVH_OUT"].endswith("/t.bin")
    assert "OVH_QUIET" not in environment
    _, environment = shown("-q", "--", *SHOW)
    assert environment["OVH_QUIET"] == "1"


def test_an_LD_PRELOAD_that_was_there_stays_behind_ours():
    libm = next(f for f in ("/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6") if os.path.exists(f))
    _, environment = shown("--", *SHOW, env={"LD_PRELOAD": libm})
    assert environment["LD_PRELOAD"] == "%s:%s" % (LIBRARY, libm), environment["LD_PRELOAD"]
    _, environment = shown("--", *SHOW, env={"LD_PRELOAD": "%s %s" % (libm, LIBRARY)})
    assert environment["LD_PRELOAD"] == "%s:%s" % (LIBRARY, libm), environment["LD_PRELOAD"]


def test_no_command():
    p = record()
    assert p.returncode == 2 and p.stderr.startswith("ovh-record: no command given") and p.stderr.count("\n") == 1, p
    assert record("-o", "x.bin", "--").returncode == 2


def test_unknown_option():
    p = record("--bogus", "--", "true")
    assert p.returncode == 2 and "--bogus" in p.stderr and not p.stdout, p


def test_setting_that_is_none():
    for setting in ("NOTHING", "=1", "small=1", "NO_SUCH_SETTING=1"):
        p = record("--set", setting, "--", "true")
        assert p.returncode == 2 and p.stderr.count("\n") == 1 and setting in p.stderr, (setting, p)


def test_setting_reaches_the_command_with_and_without_its_prefix():
    _, environment = shown("--set", "QUIET=1", "--", *SHOW)
    assert environment["OVH_QUIET"] == "1"
    _, environment = shown("--set", "OVH_QUIET=0", "--", *SHOW)
    assert environment["OVH_QUIET"] == "0"


def test_unit_reaches_the_command():
    _, environment = shown("--unit", "train_step", "--", *SHOW)
    assert environment["OVH_UNIT"] == "train_step"


def test_folder_that_is_not_there():
    p = record("-o", "/nowhere/at/all.bin", "--", "sh", "-c", "echo ran")
    assert p.returncode == 2 and p.stderr.startswith("ovh-record: /nowhere/at/all.bin:") and p.stderr.count("\n") == 1, p
    assert not p.stdout, "the command must not run when its trace cannot be written"


def test_folder_means_trace_bin_in_it():
    with tempfile.TemporaryDirectory() as folder:
        for out in (folder, folder + "/", "."):
            _, environment = shown("-o", out, "--", *SHOW, cwd=folder)
            assert environment["OVH_OUT"] == os.path.realpath(folder) + "/trace.bin", environment["OVH_OUT"]
    assert record("-o", "", "--", "true").returncode == 2


def test_library_that_is_not_there():
    with tempfile.TemporaryDirectory() as folder:
        lonely = shutil.copy(RECORD, folder)
        p = record("--", "true", tool=lonely)
        if os.path.exists("/usr/local/lib/libovh.so"):
            assert p.returncode == 0
        else:
            assert p.returncode == 2 and "libovh.so: not found" in p.stderr and p.stderr.count("\n") == 1, p


def test_library_in_a_folder_that_LD_PRELOAD_cannot_name():
    with tempfile.TemporaryDirectory(prefix="with space ") as folder:
        tool = shutil.copy(RECORD, folder)
        shutil.copy(LIBRARY, folder)
        p = record("--", "true", tool=tool)
        assert p.returncode == 2 and "space or a colon" in p.stderr, p


def test_says_so_when_no_trace_was_made():
    p = record("--", "true")
    assert p.stderr == "ovh-record: no trace was written: the program made no CUDA call that libovh.so could see, or a line above says why\n", p.stderr
    assert record("-q", "--", "true").stderr == ""


def test_an_older_trace_is_not_taken_for_one_of_this_run():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "trace.bin"), "wb") as f:
            f.write(b"OVHTRACE" + bytes(4088))
        p = record("--", "true", cwd=folder)
        assert "no trace was written" in p.stderr, p


HANDLED = ("INT", "TERM", "HUP", "USR1", "USR2", "QUIT")


def as_at_a_terminal():
    """What was started in the background, or by nohup, has signals ignored, and so would the command."""
    for name in HANDLED:
        signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)


def test_signals_are_passed_on():
    handler = "trap 'echo got; exit 9' %s; echo ready; while :; do sleep 0.02; done"
    for name in HANDLED:
        p = subprocess.Popen([RECORD, "-q", "--", "sh", "-c", handler % name], stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir(),
                             start_new_session=True, preexec_fn=as_at_a_terminal)
        assert p.stdout.readline() == "ready\n"
        p.send_signal(getattr(signal, "SIG" + name))
        try:
            rest, _ = p.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            raise
        assert (rest, p.returncode) == ("got\n", 9), (name, rest, p.returncode)


def test_a_signal_that_is_not_handled_ends_both():
    p = subprocess.Popen([RECORD, "-q", "--", "sh", "-c", "echo ready; exec sleep 60"], stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir(),
                         preexec_fn=as_at_a_terminal)
    assert p.stdout.readline() == "ready\n"
    start = time.time()
    p.terminate()
    assert p.wait(timeout=30) == 128 + signal.SIGTERM and time.time() - start < 30
    p.stdout.close()


def test_signal_mask_and_dispositions_of_the_command_are_those_we_got():
    p = record("-q", "--", "grep", "^Sig\\(Blk\\|Ign\\)", "/proc/self/status")
    bare = subprocess.run(["grep", "^Sig\\(Blk\\|Ign\\)", "/proc/self/status"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert p.stdout == bare.stdout, (p.stdout, bare.stdout)


def test_standard_streams_are_the_commands():
    p = subprocess.run([RECORD, "-q", "--", "sh", "-c", "cat; echo err >&2"], input="in\n", capture_output=True, text=True,
                       cwd=tempfile.gettempdir())
    assert (p.stdout, p.stderr) == ("in\n", "err\n"), p


def test_help_and_version():
    p = record("--help")
    assert p.returncode == 0 and p.stdout.startswith("Usage: ovh-record") and not p.stderr, p
    p = record("--version")
    assert p.returncode == 0 and p.stdout.startswith("ovh-record 0."), p


if __name__ == "__main__":
    main()
