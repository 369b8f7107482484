#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree keeps its own rules: names, licence lines, laws between folders, links in the documents, options in the man pages."""
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tap import main, skip

OUT = os.path.join(ROOT, os.environ.get("OUT", "."))


def tree():
    """Files of the project: tracked ones and new ones that git does not ignore."""
    p = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if p.returncode:
        skip("not a git checkout")
    return [f for f in p.stdout.splitlines() if os.path.exists(os.path.join(ROOT, f))]


def text(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def code(*folders):
    return [f for f in tree() if f.endswith((".c", ".h", ".S", ".def")) and (not folders or f.startswith(folders))]


def test_no_file_is_named_for_nothing():
    bad = [f for f in tree() if re.match(r"(utils?|common|misc|helpers?)\b", os.path.basename(f)) or re.search(r"(^|/)(utils?|common|misc|helpers?)/", f)]
    assert not bad, bad


def test_every_source_file_says_its_licence_at_the_top():
    sources = [f for f in tree() if f.endswith((".c", ".h", ".S", ".py", ".sh", ".mk", ".def", ".map"))]
    bad = [f for f in sources if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text(f).splitlines()[:3])]
    assert len(sources) > 20 and not bad, bad


def test_no_line_is_far_too_wide():
    """no line is wider than 160 (132 is the aim; tables may stand out)"""
    bad = ["%s:%d" % (f, n) for f in code() if not f.endswith(".def") for n, line in enumerate(text(f).splitlines(), 1) if len(line) > 160]
    assert not bad, bad


def test_nothing_is_left_to_do():
    word = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
    bad = [f for f in tree() if f.endswith((".c", ".h", ".S", ".py", ".sh", ".mk", ".def", ".md", "Makefile")) and word.search(text(f))]
    assert not bad, bad


def includes(name):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', text(name), re.M)


def test_data_flows_one_way():
    """trace/ does not see model/, model/ not out/, the guest and the tools share include/ovh only"""
    forbidden = {
        "analyzer/trace/": ("analyzer/model/", "analyzer/out/", "preload/", "record/", "sim/"),
        "analyzer/model/": ("analyzer/out/", "preload/", "record/", "sim/"),
        "analyzer/out/": ("preload/", "record/", "sim/"),
        "preload/": ("analyzer/", "record/", "sim/"),
        "record/": ("analyzer/", "preload/"),
        "sim/": ("analyzer/", "preload/", "record/"),
        "include/ovh/": ("analyzer/", "preload/", "record/", "sim/"),
    }
    seen, bad = 0, []
    for room, others in forbidden.items():
        for f in code(room):
            for name in includes(f):
                seen += 1
                path = os.path.normpath(os.path.join(os.path.dirname(f), name))
                target = path if os.path.exists(os.path.join(ROOT, path)) else name
                if target.startswith(others):
                    bad.append("%s includes %s" % (f, name))
    assert seen > 20 and not bad, bad


def test_links_in_the_documents_lead_somewhere():
    documents, bad, seen = [f for f in tree() if f.endswith(".md")], [], 0
    for f in documents:
        for target in re.findall(r"\]\(([^)\s]+)\)", text(f)):
            if re.match(r"[a-z]+:", target):
                continue
            seen += 1
            path, _, anchor = target.partition("#")
            whole = os.path.normpath(os.path.join(ROOT, os.path.dirname(f), path)) if path else os.path.join(ROOT, f)
            if not os.path.exists(whole):
                bad.append("%s -> %s" % (f, target))
            elif anchor and whole.endswith(".md"):
                titles = re.findall(r"^#+\s+(.*)$", text(os.path.relpath(whole, ROOT)), re.M)
                slugs = {re.sub(r"[^\w\- ]", "", t.lower()).strip().replace(" ", "-") for t in titles}
                if anchor not in slugs:
                    bad.append("%s -> %s: no such heading" % (f, target))
    assert seen and not bad, bad


def test_files_that_the_documents_name_exist():
    bad = []
    for f in [f for f in tree() if f.endswith(".md")]:
        for name in re.findall(r"`((?:preload|analyzer|record|sim|include|tests|docs|examples|scripts)/[\w./\-]*)`", text(f)):
            if not os.path.exists(os.path.join(ROOT, name)):
                bad.append("%s names %s" % (f, name))
    assert not bad, bad


def options_of_help(tool):
    p = subprocess.run([os.path.join(OUT, tool), "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert p.returncode == 0, p
    found = set()
    for line in p.stdout.splitlines():
        m = re.match(r"^\s{2,6}(-\S.*?)(\s{2,}|$)", line)
        if m:
            found.update(re.findall(r"(?<![\w-])(--?[A-Za-z?][\w-]*)", m.group(1)))
    return found


def options_of_page(tool):
    found = set()
    for line in text("docs/man/%s.1.scd" % tool).splitlines():
        if re.match(r"\*-", line):
            found.update(re.findall(r"\*(--?[A-Za-z?][\w-]*)\*", line))
    return found


def test_every_option_is_in_help_and_man_page():
    """every option of --help is in the man page, and the reverse"""
    if subprocess.run([os.path.join(OUT, "ovh-record"), "--version"], capture_output=True).returncode:
        skip("the tools do not run here")
    for tool in ("ovh-record", "ovh-report"):
        a, b = options_of_help(tool), options_of_page(tool)
        assert len(a) > 3 and a == b, "%s: only in --help %s, only in the man page %s" % (tool, sorted(a - b), sorted(b - a))


def test_every_variable_is_documented():
    """every OVH_ variable of include/ovh/settings.def is in docs/environment.md and in libovh(7)"""
    names = re.findall(r"^SETTING\((\w+)", text("include/ovh/settings.def"), re.M)
    document = text("docs/environment.md")
    with open(os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"), "man/libovh.7")) as f:
        page = f.read()
    missing = [n for n in names if "OVH_" + n not in document] + [n for n in names if "OVH_" + n not in page]
    assert names and not missing, missing
    assert "@SETTINGS@" not in page


if __name__ == "__main__":
    main()
