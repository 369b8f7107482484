# SPDX-License-Identifier: Apache-2.0
"""Compares hook table lines with one set of real CUDA headers. Each function returns a list of faults, one sentence each."""
import fnmatch
import re
import subprocess
import tempfile

from cuda_headers import VARIANTS

# Members and values of include/ovh/cuda_types.h that hooks read: offset, size and number must be CUDA's.
MEMBERS = {
    "cudart": {
        "struct cudaExtent": "width height depth",
        "struct cudaPos": "x y z",
        "struct cudaPitchedPtr": "ptr pitch xsize ysize",
        "struct cudaMemLocation": "type id",
        "dim3": "x y z",
        "cudaLaunchConfig_t": "gridDim blockDim dynamicSmemBytes stream attrs numAttrs",
        "struct cudaMemcpy3DParms": "srcArray srcPos srcPtr dstArray dstPos dstPtr extent kind",
    },
    "driver": {
        "CUmemLocation": "type id",
        "CUlaunchConfig": "gridDimX gridDimY gridDimZ blockDimX blockDimY blockDimZ sharedMemBytes hStream attrs numAttrs",
        "CUDA_MEMCPY2D": 
            "srcXInBytes srcY srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY dstMemoryType dstHost "
            "dstDevice dstArray dstPitch WidthInBytes Height",
        "CUDA_MEMCPY3D": 
            "srcXInBytes srcY srcZ srcLOD srcMemoryType srcHost srcDevice srcArray reserved0 srcPitch srcHeight dstXInBytes "
            "dstY dstZ dstLOD dstMemoryType dstHost dstDevice dstArray reserved1 dstPitch dstHeight WidthInBytes Height Depth",
    },
}
VALUES = {
    "cudart":
        "cudaSuccess cudaErrorInvalidValue cudaErrorMemoryAllocation cudaErrorNotReady cudaErrorUnknown cudaMemcpyHostToHost "
        "cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice cudaMemcpyDefault cudaStreamCaptureStatusNone "
        "cudaStreamCaptureStatusActive cudaStreamCaptureStatusInvalidated",
    "driver":
        "CUDA_SUCCESS CUDA_ERROR_INVALID_VALUE CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_NOT_FOUND CUDA_ERROR_NOT_READY "
        "CUDA_ERROR_UNKNOWN CU_MEMORYTYPE_HOST CU_MEMORYTYPE_DEVICE CU_MEMORYTYPE_ARRAY CU_MEMORYTYPE_UNIFIED",
    "cublas":
        "CUBLAS_STATUS_SUCCESS CUBLAS_STATUS_INVALID_VALUE CUBLAS_STATUS_NOT_SUPPORTED CUDA_R_32F CUDA_R_64F CUDA_R_16F "
        "CUDA_R_8I CUDA_C_32F CUDA_C_64F CUDA_C_16F CUDA_R_8U CUDA_R_32I CUDA_R_16BF CUDA_C_16BF CUDA_R_8F_E4M3 CUDA_R_8F_E5M2 "
        "CUBLAS_COMPUTE_16F CUBLAS_COMPUTE_32F CUBLAS_COMPUTE_64F CUBLAS_COMPUTE_32I CUBLAS_COMPUTE_32F_FAST_16F "
        "CUBLAS_COMPUTE_32F_FAST_16BF CUBLAS_COMPUTE_32F_FAST_TF32",
    "cublaslt":
        "CUBLASLT_MATRIX_LAYOUT_TYPE CUBLASLT_MATRIX_LAYOUT_ORDER CUBLASLT_MATRIX_LAYOUT_ROWS CUBLASLT_MATRIX_LAYOUT_COLS "
        "CUBLASLT_MATRIX_LAYOUT_LD CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT CUBLASLT_MATMUL_DESC_COMPUTE_TYPE",
}


def compiler_faults(headers, source, variant, by_line):
    """Compiles; an error at a `#line` of a table becomes a fault that names the table line and shows the header's declaration."""
    status, _, err = headers.compile(source, "-fsyntax-only", "-fmax-errors=0", *variant)
    faults, last = [], None
    for text in err.split("\n"):
        m = re.match(r"(.+?):(\d+):\d+: (error|note): (.*)", text)
        if not m:
            continue
        line = by_line.get((m.group(1), int(m.group(2))))
        if m.group(3) == "error":
            last = line
            faults.append("%s: %s [%s]" % (line.where() if line else "%s:%s" % m.group(1, 2), m.group(4), headers))
        elif last is not None and "previous" in m.group(4):
            faults[-1] += "\n    the header: " + re.sub(r".*with type ", "", m.group(4))
    if status and not faults:
        faults.append("%s: %s" % (headers, err.strip().split("\n")[0]))
    return faults


def prototypes(headers, library, lines):
    """Redeclares each function with the table's types: a conflict is a wrong line. Returns (faults, lines compared)."""
    faults, checked = [], set()
    lines = [x for x in lines if x.applies_to(headers.version)]
    by_line = {(x.file, x.number): x for x in lines}
    for variant in VARIANTS[library]:
        names = headers.declared(library, variant)
        source, used = headers.includes(library) + "struct ovh_half;\n#define __half struct ovh_half\n", []
        for line in lines:
            shown = "" if line.name in names else headers.declaration_in_text(library, line.name)
            if line.name in names or (shown and variant == VARIANTS[library][0]):
                used.append(line)
                source += '#undef %s\n%s\n#line %d "%s"\n%s\n' % (line.name, shown, line.number, line.file, line.prototype())
        faults += compiler_faults(headers, source, variant, by_line)
        checked |= {(x.file, x.number) for x in used}
    return list(dict.fromkeys(faults)), [x for x in lines if (x.file, x.number) in checked]


def proc_addresses(headers, lines):
    """Driver lines against cudaTypedefs.h: versions that cuGetProcAddress tells apart, their types, and their per-thread twins."""
    faults, source = [], headers.includes("driver")
    known, have = headers.proc_versions(), {}
    for line in lines:
        have.setdefault(line.base, {})[line.since] = line
    for base, ours in sorted(have.items()):
        theirs = known.get(base, {})
        plain = {v for v, suffixes in theirs.items() if "" in suffixes}
        for since, line in sorted(ours.items()):
            if since in plain:
                pfn = "PFN_%s_v%d" % (base, since)
                source += '#line %d "%s"\n_Static_assert(__builtin_types_compatible_p(%s, %s (*)(%s)), "%s is another type");\n' % (
                    line.number, line.file, pfn, line.ret, line.types(), pfn)
            elif plain and min(plain) < since <= headers.version:
                has = ", ".join(map(str, sorted(plain)))
                faults.append("%s: %s has no version %d, but %s [%s]" % (line.where(), base, since, has, headers))
        for version in sorted(plain - set(ours)):
            if version > min(ours):
                faults.append("%s: version %d of %s is missing: its callers would get this line's wrapper [%s]" % (
                    ours[max(v for v in ours if v < version)].where(), version, base, headers))
        suffixes = set().union(*theirs.values()) - {""} if theirs else set()
        newest = ours[max(ours)]
        if theirs and max(ours) <= headers.version and newest.twin.lower() not in (suffixes or {"none"}):
            has = " ".join(suffixes).upper() or "NONE"
            faults.append("%s: twin is %s, the header has %s [%s]" % (newest.where(), newest.twin, has, headers))
    by_line = {(x.file, x.number): x for x in lines}
    return faults + compiler_faults(headers, source, VARIANTS["driver"][1], by_line)


def runtime_twins(headers, checked):
    """The twin column. A header before 12.4 may lack one that its library has (cudaStreamUpdateCaptureDependencies)."""
    twins, declared, faults = headers.per_thread_twins(), headers.declared("cudart", []), []
    for line in checked:
        theirs = twins.get(line.name, "NONE")
        lacks = theirs == "NONE" and headers.version < 12040
        if line.name in declared and line.twin != theirs and not lacks:
            faults.append("%s: twin is %s, the header has %s [%s]" % (line.where(), line.twin, theirs, headers))
    return faults


def layout_program(includes, by_value, library, only=None):
    """A C program that prints size, alignment and way of passing of types, and members' offsets; either header will do."""
    out = includes + "#include <stdio.h>\n#include <stddef.h>\nint main(void)\n{\n"
    for t in sorted(by_value):
        out += '    printf("%s: %%zu %%zu %%d\\n", sizeof(%s), _Alignof(%s), __builtin_classify_type(*(%s *)0));\n' % (t, t, t, t)
    for struct, members in MEMBERS.get(library, {}).items():
        out += '    printf("%s: %%zu\\n", sizeof(%s));\n' % (struct, struct)
        for m in members.split():
            where = "%s, %s" % (struct, m)
            out += '    printf("%s: %%zu %%zu\\n", offsetof(%s), sizeof(((%s *)0)->%s));\n' % (where, where, struct, m)
    for value in VALUES.get(library, "").split():
        out += '    printf("%s: %%d\\n", (int)%s);\n' % (value, value)
    return out + "    return 0;\n}\n"


def run_program(cc, source, options):
    with tempfile.TemporaryDirectory() as folder:
        p = subprocess.run([cc, "-x", "c", "-std=gnu11", "-w", *options, "-o", folder + "/layout", "-"], input=source.encode(),
                           stderr=subprocess.PIPE)
        if p.returncode:
            raise RuntimeError(next((x for x in p.stderr.decode(errors="replace").split("\n") if "error" in x), "no reason given"))
        return subprocess.run([folder + "/layout"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()


def layouts(headers, library, checked):
    """Types that the lines pass by value, and the structs and values that hooks read: ours against CUDA's."""
    by_value = {re.sub(r"^const ", "", t) for x in checked for t in [x.ret] + [t for t, _ in x.args] if "*" not in t} - {"void"}
    try:
        ours = run_program(headers.cc, layout_program('#include "ovh/cuda_types.h"\n', by_value, library), ["-Iinclude"])
        theirs = run_program(headers.cc, layout_program(headers.includes(library), by_value, library), ["-I", headers.folder])
    except RuntimeError as e:
        return ["%s: %s: layouts cannot be compared: %s" % (headers, library, e)]
    return ["include/ovh/cuda_types.h: %s; CUDA has %s [%s]" % (a, b, headers) for a, b in zip(ours, theirs) if a != b]


def uncovered(headers, library, lines, reasons):
    """Public functions of the headers that no line names: ([(name, reason)], [names that have no reason])."""
    missing = sorted(headers.declared(library, []) - {x.name for x in lines})
    why = [(name, reason_for(library, name, reasons)) for name in missing]
    return [x for x in why if x[1]], [name for name, reason in why if not reason]


def reason_for(library, name, reasons):
    """Why a function is not hooked; empty: nobody says."""
    return next((reason for lib, pattern, reason in reasons if lib == library and fnmatch.fnmatchcase(name, pattern)), "")


def read_reasons(path):
    """tests/tables/not_hooked.txt: [(library, pattern of names, reason)]."""
    with open(path) as f:
        return [tuple(x.split(None, 2)) for x in (line.strip() for line in f) if x and not x.startswith("#")]
