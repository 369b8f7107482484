# SPDX-License-Identifier: Apache-2.0
"""Records a program on the simulated device and reports it: what the chain's tests share."""
import json
import os
import subprocess

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
OUT = os.path.join(ROOT, os.environ.get("OUT", "."))


class Recorded:
    """One run: its output, the report as parsed JSON (`whole`, and `report` of the one trace) and as text."""

    def __init__(self, folder, command, *options, detail="2"):
        options = ["--detail", detail, *options]
        trace = os.path.join(folder, "trace.bin")
        env = {k: v for k, v in os.environ.items() if not k.startswith("OVH_") and k not in ("LD_PRELOAD", "RANK", "LOCAL_RANK")}
        p = subprocess.run([OUT + "/ovh-record", "--sim", *options, "-o", trace, "--", *command], env=env, stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, timeout=300)
        assert p.returncode == 0, (p.returncode, p.stdout[-2000:], p.stderr[-2000:])
        self.printed, self.said, self.trace = p.stdout, p.stderr, trace
        self.json_run = self.ovh_report("--format", "json")
        self.text_run = self.ovh_report()
        self.whole = json.loads(self.json_run.stdout)
        self.report = self.whole["reports"][0]
        self.text = self.text_run.stdout

    def ovh_report(self, *options):
        p = subprocess.run([OUT + "/ovh-report", *options, self.trace], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert p.returncode in (0, 4), (options, p.returncode, p.stderr)
        return p
