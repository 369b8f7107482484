#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of other areas, run on what was built for aarch64 by qemu-user. Every line of theirs is a line of this one's. Two run at a
time, since most of them wait. OVH_TEST_ALL=1: also what is left out for time."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = "build/aarch64"
EMULATOR = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"]
PYTHON = os.path.join(ROOT, "build/arm64-root/usr/bin/python3-emulated")
ALL = os.environ.get("OVH_TEST_ALL") == "1"
# What of the tests of CPython runs every time.
FRAMES = "" if ALL else "default: (nesting|exceptions|generators|threads|deep|a start|another|the whole)|walk: (nesting|threads)"
NATIVE = "" if ALL else "every call|a check|nesting|exceptions"
LINE = re.compile(r"^(not )?ok\b\s*\d*\s*-?\s*(.*)$")

ENVIRONMENT = {**os.environ, "BUILD": BUILD, "OUT": BUILD, "CC": "aarch64-linux-gnu-gcc", "CXX": "aarch64-linux-gnu-g++",
               "OVH_TEST_EMULATOR": " ".join(EMULATOR), "CMOCKA_MESSAGE_OUTPUT": "TAP"}
HERE_REPORT = {"OVH_TEST_REPORT": os.path.join(ROOT, os.environ.get("OUT", "."), "ovh-report")}  # this machine's reads what was recorded there
#       name                   command                                                       what it sees besides
JOBS = [("frames", ["tests/python/test_frames.py"], {"ONLY": FRAMES}),
        ("interpose", ["tests/interpose/test_interpose.py"], HERE_REPORT),
        ("native", ["tests/python/test_native.py"], {"ONLY": NATIVE, **HERE_REPORT}),
        ("end of recording", ["tests/python/test_recording.py"], {}),
        ("life", ["tests/guest/test_life.py"], {}), ("place", ["tests/guest/test_place.py"], {}), ("stress", ["tests/guest/test_stress.py"], {}),
        ("space", ["tests/guest/test_space.py"], {}),
        ("settings", ["tests/guest/test_settings.py"], {}), ("recording", ["tests/guest/test_recording.py"], {}),
        ("golden", ["tests/trace/test_golden.py"], {"OVH_TEST_REPORT": os.path.join(ROOT, BUILD, "tests/aarch64/ovh-report")}),
        *[(name, [*EMULATOR, os.path.join(BUILD, name)], {}) for name in (
            "tests/guest/repetition", "tests/sim/device12", "tests/sim/device13", "tests/sim/blas12", "tests/sim/blas13", "tests/sim/standins")]]


def missing():
    if not shutil.which("qemu-aarch64-static"):
        return "no qemu-aarch64-static"
    return None if os.path.exists(os.path.join(ROOT, BUILD, "tests/guest/host")) else "not built for aarch64: make deps-aarch64"


def skipped_without_running(name):
    if name in ("frames", "native", "end of recording") and not os.path.exists(PYTHON):
        return "no CPython for arm64: make deps-aarch64"
    return None


def run(job):
    """[(passed, text)] of one job, with what it printed where something failed."""
    name, command, environment = job
    why = skipped_without_running(name)
    if why:
        return [(True, "%s # SKIP %s" % (name, why))], ""
    environment = {**ENVIRONMENT, **({"OVH_TEST_PYTHON": PYTHON} if os.path.exists(PYTHON) else {}), **environment}
    p = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=500)
    text = p.stdout.decode(errors="replace")
    found = [(not m.group(1), "%s: %s" % (name, m.group(2))) for m in map(LINE.match, text.splitlines()) if m]
    found = [f for f in found if "# SKIP no CPython" not in f[1]]
    if p.returncode and all(f[0] for f in found):
        found.append((False, "%s: ended with status %d" % (name, p.returncode)))
    return found or [(False, name + ": printed no result")], "" if all(f[0] for f in found) else text


def main():
    why = missing()
    if why:
        print("1..%d" % len(JOBS))
        for number, job in enumerate(JOBS, 1):
            print("ok %d - %s on aarch64 # SKIP %s" % (number, job[0], why))
        return
    number, failed, details = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found, text in pool.map(run, JOBS):
            for passed, line in found:
                number += 1
                failed += not passed
                print("%sok %d - aarch64: %s" % ("" if passed else "not ", number, line), flush=True)
            details += [x for x in text.splitlines() if not x.startswith("ok ")]
    print("1..%d" % number)
    print("".join("# %s\n" % x for x in details[:50]), end="")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
