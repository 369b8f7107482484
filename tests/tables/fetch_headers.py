#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make cuda-headers: CUDA headers from PyPI's wheels into build/cuda-headers/VERSION/include, for check-tables.

    tests/tables/fetch_headers.py [--cublas] [--libraries] [FOLDER]

Fetches 80 MB for the runtime and driver headers of six CUDA versions; with --cublas, the cuBLAS headers too, with --libraries those of
cuDNN, NCCL and the other libraries of two versions: several hundred MB each, since they come with the libraries (nothing but headers is
kept). What is there already is not fetched again.
Exit status: 0 all there, 1 something could not be fetched."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

WHEELS = {
    "11.8": ["nvidia-cuda-runtime-cu11==11.8.89", "nvidia-cuda-nvcc-cu11==11.8.89"],
    "12.4": ["nvidia-cuda-runtime-cu12==12.4.127", "nvidia-cuda-nvcc-cu12==12.4.131"],
    "12.6": ["nvidia-cuda-runtime-cu12==12.6.77", "nvidia-cuda-nvcc-cu12==12.6.85"],
    "12.8": ["nvidia-cuda-runtime-cu12==12.8.90", "nvidia-cuda-nvcc-cu12==12.8.93"],
    "13.0": ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88"],
    "13.5": ["nvidia-cuda-runtime==13.5.37", "nvidia-cuda-crt==13.5.37"],
}
CUBLAS = {"11.8": ["nvidia-cublas-cu11==11.11.3.6"], "12.4": ["nvidia-cublas-cu12==12.4.5.8"], "12.6": ["nvidia-cublas-cu12==12.6.4.1"],
          "12.8": ["nvidia-cublas-cu12==12.8.4.1"], "13.0": ["nvidia-cublas==13.0.2.14"], "13.5": ["nvidia-cublas==13.10.0.20"]}
LIBRARIES = {
    "12.4": ["nvidia-cuda-nvrtc-cu12==12.4.127", "nvidia-curand-cu12==10.3.5.147", "nvidia-cusolver-cu12==11.6.1.9",
             "nvidia-cusparse-cu12==12.3.1.170", "nvidia-cufft-cu12==11.2.1.3", "nvidia-nccl-cu12==2.21.5"],
    "13.5": ["nvidia-cuda-nvrtc", "nvidia-curand", "nvidia-cusolver", "nvidia-cusparse", "nvidia-cufft", "nvidia-nccl-cu13", "nvidia-cudnn-cu13"],
}
PIP = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--python-version", "3.12",
       "--platform", "manylinux1_x86_64", "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_17_x86_64",
       "--platform", "manylinux_2_27_x86_64"]


def pip(folder):
    """A pip that works: this Python's own, else that of a venv made for it."""
    own = subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if own.returncode == 0:
        return [sys.executable, "-m", "pip"]
    venv = os.path.join(folder, "pip")
    if not os.path.exists(os.path.join(venv, "bin", "pip")):
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    return [os.path.join(venv, "bin", "python"), "-m", "pip"]


def unpack(wheel, include):
    """Keeps what a wheel has below any folder named include."""
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            _, found, rest = name.partition("/include/")
            if found and rest.endswith((".h", ".hpp")):
                path = os.path.join(include, rest)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with z.open(name) as source, open(path, "wb") as target:
                    shutil.copyfileobj(source, target)


def fetch(package, include, folder):
    """One package's headers. Returns whether they are there now."""
    mark = os.path.join(include, "." + package)
    if os.path.exists(mark):
        return True
    print("fetching %s" % package, file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder) as tmp:
        try:
            subprocess.run(pip(folder) + PIP + ["--dest", tmp, package], check=True, timeout=1800)
        except (subprocess.SubprocessError, OSError) as e:
            print("fetch_headers: %s: not fetched (%s): the tables are compared with what is here" % (package, e), file=sys.stderr)
            return False
        for wheel in glob.glob(os.path.join(tmp, "*.whl")):
            unpack(wheel, include)
    open(mark, "w").close()
    return True


def main(arguments):
    more = [packages for flag, packages in (("--cublas", CUBLAS), ("--libraries", LIBRARIES)) if flag in arguments]
    folder = next((a for a in arguments if not a.startswith("-")), os.path.join("build", "cuda-headers"))
    there = True
    for version, packages in WHEELS.items():
        include = os.path.join(folder, version, "include")
        os.makedirs(include, exist_ok=True)
        for package in packages + [p for x in more for p in x.get(version, [])]:
            there = fetch(package, include, folder) and there
            if not there:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
