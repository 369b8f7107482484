#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_commands.json for editors and clang tools, from the commands that `make -n` would run (on stdin)."""
import json
import os
import shlex
import sys

commands = []
for line in sys.stdin:
    try:
        words = shlex.split(line)
    except ValueError:
        continue
    if "-c" in words and "-o" in words and words[-1].endswith((".c", ".S")):
        commands.append({"directory": os.getcwd(), "file": words[-1], "output": words[words.index("-o") + 1], "arguments": words})
if not commands:
    sys.exit("compile_commands: make -n named no compilation")
json.dump(commands, sys.stdout, indent=1)
print()
