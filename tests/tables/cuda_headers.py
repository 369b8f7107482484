# SPDX-License-Identifier: Apache-2.0
"""Finds sets of CUDA headers (a toolkit, or what tests/tables/fetch_headers unpacked) and says what they declare."""
import glob
import os
import re
import subprocess

INCLUDES = {"cudart": ["cuda_runtime_api.h", "cuda_profiler_api.h"], "driver": ["cuda.h", "cudaTypedefs.h"],
            "cublas": ["cublas_v2.h"], "cublaslt": ["cublasLt.h"], "cudnn": ["cudnn.h"], "nccl": ["nccl.h"], "cusparse": ["cusparse.h"],
            "cusolver": ["cusolverDn.h", "cusolverSp.h"], "cufft": ["cufft.h", "cufftXt.h"], "curand": ["curand.h"], "nvrtc": ["nvrtc.h"]}
OPTIONAL = {"cuda_profiler_api.h"}  # in the toolkit, not in every wheel
PREFIX = {"cudart": r"(?:cuda[A-Z]|__cuda[A-Z])", "driver": "cu[A-Z]", "cublas": "cublas(?!Lt)[A-Z]", "cublaslt": "cublasLt[A-Z]",
          **{x: x + "[A-Z]" for x in ("cudnn", "nccl", "cusparse", "cusolver", "cufft", "curand", "nvrtc")}}
# The headers show a function's older prototypes, and the names behind their macros, under this definition only.
VARIANTS = {library: ([],) if library not in ("cudart", "driver") else ([], ["-D__CUDA_API_VERSION_INTERNAL"]) for library in INCLUDES}
ATTRIBUTE = re.compile(r'__attribute__\s*\(\((?:[^()"]|"[^"]*"|\([^()]*\))*\)\)')
# Declarations that only C++ or nvcc sees are taken from the text of these.
TEXTS = {"cudart": ["crt/host_runtime.h", "crt/device_functions.h", "cuda_profiler_api.h"], "cublas": ["cublas_api.h"]}


class HeaderSet:
    def __init__(self, folder, cc):
        self.folder, self.cc, self.texts = folder, cc, {}
        m = re.search(r"#define CUDA_VERSION (\d+)", self.read("cuda.h"))
        self.version = int(m.group(1)) if m else 0

    def __str__(self):
        return "CUDA %d.%d (%s)" % (self.version // 1000, self.version % 1000 // 10, self.folder)

    def read(self, name):
        try:
            with open(os.path.join(self.folder, name), errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def has(self, library):
        return all(os.path.exists(os.path.join(self.folder, x)) for x in INCLUDES[library] if x not in OPTIONAL)

    def includes(self, library):
        return "".join("#include <%s>\n" % x for x in INCLUDES[library] if os.path.exists(os.path.join(self.folder, x)))

    def compile(self, source, *options):
        """The compiler on C text: (status, stdout, stderr)."""
        p = subprocess.run([self.cc, "-x", "c", "-std=gnu11", "-w", "-I", self.folder, *options, "-"], input=source.encode(),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")

    def preprocessed(self, library, variant):
        key = library, tuple(variant)
        if key not in self.texts:
            status, out, err = self.compile(self.includes(library), "-E", "-P", *variant)
            if status:
                raise RuntimeError("%s: %s: the headers do not compile: %s" % (self, library, err.strip().split("\n")[0]))
            self.texts[key] = out
        return self.texts[key]

    def declared(self, library, variant):
        """Names of the library's functions that the headers declare."""
        key = "names", library, tuple(variant)
        if key not in self.texts:
            text = re.sub(r"\{[^{}]*\}", ";", ATTRIBUTE.sub("", self.preprocessed(library, variant)))
            first = (re.match(r"(?!typedef\b|static\b)[\w\s*]*?\b(\w+)\s*\(", piece.strip()) for piece in text.split(";"))
            names = {m.group(1) for m in first if m and re.match(PREFIX[library], m.group(1))}
            self.texts[key] = {n for n in names if not n.endswith("_t")}
        return self.texts[key]

    def declaration_in_text(self, library, name):
        """The text of a declaration that a C compiler does not get to see, made fit for C; empty: there is none."""
        for file in TEXTS.get(library, ()):
            if file not in self.texts:
                self.texts[file] = re.sub(r"/\*.*?\*/|//[^\n]*", "", self.read(file), flags=re.S)
            text = self.texts[file]
            m = name in text and re.search(r"(?:^|[;}>\n])\s*((?:extern\b)?[\w\s*\"]*?[\w*]\s+%s\s*\([^;{}()]*\))\s*;" % name, text)
            if m and not m.group(1).startswith("return"):
                body = re.sub(r'extern\s+"C"|\b(__host__|__device__|CUDARTAPI|CUBLASWINAPI|CUBLASAPI)\b', " ", m.group(1))
                return re.sub(r"\s*=\s*\w+\s*(?=[,)])", "", re.sub(r"\s+", " ", body)).strip() + ";"
        return ""

    def per_thread_twins(self):
        """Runtime functions with a per-thread twin: name -> PTSZ or PTDS."""
        found = re.findall(r"#\s*define\s+(\w+)\s+__CUDART_API_(PTSZ|PTDS)\(\s*(\w+)\s*\)", self.read("cuda_runtime_api.h"))
        return {symbol: twin for _, twin, symbol in found}

    def proc_versions(self):
        """What cuGetProcAddress tells apart: base -> {version: set of suffixes ('', 'ptsz', 'ptds')}, from the PFN_ typedefs."""
        versions = {}
        text = self.preprocessed("driver", VARIANTS["driver"][1])
        for base, version, suffix in re.findall(r"\bPFN_(\w+?)_v(\d+)(?:_(ptsz|ptds))?\)", text):
            versions.setdefault(base, {}).setdefault(int(version), set()).add(suffix)
        return versions


def header_sets(cc, folders=(), build="build"):
    """Header sets that are here, newest CUDA first: the folders given, else CUDA_HOME, /usr/local/cuda and build/cuda-headers/*."""
    if not folders:
        homes = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
        fetched = sorted(glob.glob(os.path.join(build, "cuda-headers", "*", "include")))
        folders = [os.path.join(h, "include") for h in homes if h] + fetched
    sets, seen = [], set()
    for folder in folders:
        real = os.path.realpath(folder)
        if real not in seen and os.path.exists(os.path.join(real, "cuda.h")):
            seen.add(real)
            sets.append(HeaderSet(folder, cc))
    return sorted(sets, key=lambda s: -s.version)
