#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/environment.md says what include/ovh/settings.def says; the trace tells the settings and the machine."""
import os
import re
from guest import ROOT, folder, host, main, read


def table():
    with open(os.path.join(ROOT, "include/ovh/settings.def")) as f:
        return re.findall(r'^SETTING\((\w+), "(.*?)", "(.*)"\)$', f.read(), re.M)


def test_the_document_names_every_variable_with_its_default():
    with open(os.path.join(ROOT, "docs/environment.md")) as f:
        rows = re.findall(r"^\| `OVH_(\w+)` \| `?(.*?)`? \| (.*) \|$", f.read(), re.M)
    assert rows == [(n, d, m) for n, d, m in table()]


def test_the_trace_tells_settings_and_machine():
    with folder() as d:
        host(d, "calls", "1 2", OVH_CHUNK="64K", OVH_MAX_SIZE="nonsense")
        t = read(d)
        assert set(t.settings) == {"OVH_" + n for n, _, _ in table()} and t.settings["OVH_CHUNK"] == "64K"
        assert t.head["chunk_bytes"] == 65536 and t.values["command"].endswith("host calls '1 2'")
        for key in ("ovh", "host", "kernel", "executable", "cpu.count", "cpu.affinity", "glibc", "clock.source"):
            assert t.values.get(key), key
        assert t.values["cuda.runtime"] == "13" and t.head["flags"] == 0


def test_redact_masks_the_command_line():
    with folder() as d:
        host(d, "calls", "4", OVH_REDACT="1")
        assert read(d).values["command"] == "(masked)"


def test_clock_of_the_system():
    with folder() as d:
        host(d, "calls", 100, OVH_CLOCK="monotonic")
        t = read(d)
        assert t.head["clock"] == 2 and t.head["tick_hz"] == 10**9


if __name__ == "__main__":
    main()
