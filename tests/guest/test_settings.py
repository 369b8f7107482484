#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/environment.md says what include/ovh/settings.def says; the trace tells the settings and the machine."""
import os
import re
import shutil
from guest import BUILD, LIBRARY, ROOT, folder, host, main, read


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
        for key in ("ovh", "host", "kernel", "executable", "cpu.count", "cpu.affinity", "glibc"):
            assert t.values.get(key), key
        if os.path.exists("/sys/devices/system/clocksource/clocksource0/current_clocksource"):  # an empty root has no /sys
            assert t.values.get("clock.source")
        assert t.values["cuda.runtime"] == "13" and t.head["flags"] == 0


def test_redact_masks_the_command_line():
    with folder() as d:
        host(d, "calls", "4", OVH_REDACT="1")
        assert read(d).values["command"] == "(masked)"


def test_versions_are_read_off_the_paths_of_mapped_libraries():
    with folder() as d:
        packages, paths = d + "/lib/python3.12/site-packages/", []
        for file in ("torch/lib/libtorch_python.so", "transformer_engine/wheel_lib/libtransformer_engine.so", "numpy/core.so",
                     "nvidia/cublas/lib/libcublas.so.12", "nvidia/cublas/lib/libcublasLt.so.12"):
            os.makedirs(os.path.dirname(packages + file), exist_ok=True)
            shutil.copy(BUILD + "/libsimulated.so", packages + file)
            paths.append(packages + file)
        for name in ("torch-2.11.0+cu130", "torchvision-0.1", "transformer_engine-2.20.2", "transformer_engine_torch-1", "nvidia_cublas_cu12-12.8.4.1"):
            os.mkdir(packages + name + ".dist-info")
        os.mkdir(d + "/toolkit")
        shutil.copy(BUILD + "/libsimulated.so", d + "/toolkit/libcudnn.so.9.10.2")
        os.symlink("libcudnn.so.9.10.2", d + "/toolkit/libcudnn.so.9")
        assert host(d, "load", *paths, d + "/toolkit/libcudnn.so.9")[1] == {"calls": [6]}
        t = read(d)
        values = {k: t.values.get(k) for k in ("torch", "transformer_engine", "cublas", "cublaslt", "cudnn", "numpy")}
        assert values == {"torch": "2.11.0+cu130", "transformer_engine": "2.20.2", "cublas": "12.8.4.1", "cublaslt": "12.8.4.1",
                          "cudnn": "9.10.2", "numpy": None}
        mapped = {path: build_id for path, build_id in t.objects}
        assert all(p in mapped for p in paths) and any(p.endswith("/libc.so.6") and len(i) == 20 for p, i in mapped.items())


def test_a_simulated_device_is_told_and_its_clock_used():
    with folder() as d:
        host(d, "calls", 3, LD_PRELOAD=LIBRARY + ":" + BUILD + "/libsimulated.so", OVH_SIM_CLOCK="fake", OVH_KEEPER="off")
        t = read(d)
        assert t.head["flags"] == 1 and t.head["clock"] == 3 and t.values["simulated"] == "ovh simulated device 0"
        ticks = [e.tick for e in t.events[1] if e.what in ("ENTER", "LEAVE")]
        assert len(ticks) == 6 and [b - a for a, b in zip(ticks, ticks[1:])] == [100] * 5


def test_clock_of_the_system():
    with folder() as d:
        host(d, "calls", 100, OVH_CLOCK="monotonic")
        t = read(d)
        assert t.head["clock"] == 2 and t.head["tick_hz"] == 10**9


if __name__ == "__main__":
    main()
