#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ovh-report says of each golden trace, kept beside it: NAME.dump and NAME.verify, standard error included, the exit status in
the last line. `make golden` writes them; a change is reviewed like code. tests/trace/test_golden.py compares."""
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FORMS = {"dump": ["--dump"], "verify": ["--verify"]}


def traces():
    """Names relative to this folder, as the expected output has them."""
    return sorted(os.path.relpath(f, HERE) for f in glob.glob(os.path.join(HERE, "**/*.bin"), recursive=True))


def said(report, options, name):
    p = subprocess.run([report, *options, name], cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return p.stdout.decode(errors="replace") + "exit %d\n" % p.returncode


def main():
    report = os.path.abspath(sys.argv[1])
    for name in traces():
        for form, options in FORMS.items():
            with open(os.path.join(HERE, name[:-4] + "." + form), "w") as f:
                f.write(said(report, options, name))


if __name__ == "__main__":
    main()
