# SPDX-License-Identifier: Apache-2.0
"""Reads the hook tables (include/ovh/hooks/*.def, form: include/ovh/hook.h) into Line objects."""
import os
import re
from dataclasses import dataclass

LIBRARIES = ("cudart", "driver", "cublas", "cublaslt", "cudnn", "nccl", "cusparse", "cusolver", "cufft", "curand", "nvrtc")
# What stands before the twin in each form.
HEADS = {"HOOK": ("ret", "name"), "VOID_HOOK": ("name",), "OLDER": ("bound", "ret", "name"), "NEWER": ("bound", "ret", "name"),
         "DRIVER": ("ret", "name", "base", "since")}


class TableError(Exception):
    """A line that is not in the form of hook.h; the text names the file and the line."""


@dataclass
class Line:
    file: str      # path as given
    number: int
    library: str
    form: str      # HOOK, VOID_HOOK, OLDER, NEWER, DRIVER
    ret: str
    name: str      # the symbol
    twin: str      # NONE, PTSZ, PTDS
    does: str
    args: list     # [(type, name), ...]
    bound: int = 0  # OLDER: until, NEWER: since
    base: str = ""  # DRIVER: what cuGetProcAddress is asked for
    since: int = 0

    def where(self):
        return "%s:%d: %s" % (self.file, self.number, self.name)

    def types(self):
        return ", ".join(t for t, _ in self.args) or "void"

    def prototype(self):
        return "%s %s(%s);" % (self.ret, self.name, self.types())

    def applies_to(self, version):
        """Whether a CUDA of this version (12040) has the function in this form."""
        return {"OLDER": version < self.bound, "NEWER": version >= self.bound}.get(self.form, True)


def split_commas(text):
    """The parts of `a, (b, c), d(e, f)` between its outermost commas."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() or parts else []


def parse_line(text, file, number, library):
    where = "%s:%d" % (file, number)
    m = re.match(r"(\w+)\((.*)\)$", text)
    if not m or m.group(1) not in HEADS:
        raise TableError("%s: not a table line: %.60s" % (where, text))
    head, parts = HEADS[m.group(1)], split_commas(m.group(2))
    if len(parts) < len(head) + 2:
        raise TableError("%s: too few parts for %s: %.60s" % (where, m.group(1), text))
    fields = dict(zip(head, parts))
    twin, does = parts[len(head):len(head) + 2]
    if twin not in ("NONE", "PTSZ", "PTDS"):
        raise TableError("%s: twin is NONE, PTSZ or PTDS, not %s" % (where, twin))
    args = []
    for part in parts[len(head) + 2:]:
        pair = split_commas(part[1:-1]) if part.startswith("(") and part.endswith(")") else []
        if len(pair) != 2 or not re.match(r"\w+$", pair[1]):
            raise TableError("%s: an argument is (type, name), not %s" % (where, part))
        args.append(tuple(pair))
    return Line(file, number, library, m.group(1), fields.get("ret", "void"), fields["name"], twin, does, args,
                int(fields.get("bound", 0)), fields.get("base", ""), int(fields.get("since", 0)))


def read_table(path, library):
    """All lines of one table. Comments and blank lines are skipped; each hook stands on one line."""
    lines, comment = [], False
    with open(path) as f:
        for number, text in enumerate(f, 1):
            text = re.sub(r"/\*.*?\*/", "", text).strip()
            if comment:
                comment = "*/" not in text
                continue
            if text.startswith("/*"):
                comment = True
                continue
            if text:
                lines.append(parse_line(text, path, number, library))
    return lines


def read_tables(folder):
    return [line for library in LIBRARIES for line in read_table(os.path.join(folder, library + ".def"), library)]


def faults_within(lines):
    """What is wrong with the tables whatever the headers say: names and versions that stand twice, names that must not stand."""
    faults, names, versions = [], {}, {}
    for line in lines:
        key = line.name if line.form not in ("OLDER", "NEWER") else (line.name, line.form)
        for k in {key, line.name} if isinstance(key, str) else {key}:
            if k in names or (isinstance(key, tuple) and line.name in names):
                faults.append("%s: stands twice (also line %d)" % (line.where(), names.get(k, names.get(line.name)).number))
        names[key] = line
        if line.base:
            if (line.base, line.since) in versions:
                faults.append("%s: version %d of %s stands twice" % (line.where(), line.since, line.base))
            versions[line.base, line.since] = line
        if line.name in ("cuGetExportTable", "cudaGetExportTable", "dlsym"):
            faults.append("%s: must never be hooked" % line.where())
        words = set(re.findall(r"(?<![.>\w])[a-z]\w*\b", re.sub(r"\w+\(", "(", line.does)))
        unknown = sorted(words - {n for _, n in line.args} - {"void", "size_t"})
        if unknown:
            faults.append("%s: `does` names %s, which is no argument" % (line.where(), ", ".join(unknown)))
    pairs = {k for k in names if isinstance(k, tuple)}
    for name, form in pairs:
        other = names.get((name, "NEWER" if form == "OLDER" else "OLDER"))
        if other is None or other.bound != names[name, form].bound:
            faults.append("%s: OLDER and NEWER come as a pair with one version" % names[name, form].where())
    return faults
