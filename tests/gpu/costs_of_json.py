#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Costs for ovh-record --sim --costs from a kept JSON report, where the trace itself is gone: python3 tests/gpu/costs_of_json.py REPORT.json

Prints what ovh-report --costs prints of the trace."""
import json
import sys

CLASSES = ("cublas", "cublaslt", "cudart", "driver")


def main():
    with open(sys.argv[1]) as f:
        unit = json.load(f)["reports"][0]["unit"]
    rows = [s for s in unit["steps"] if s["class"] in CLASSES and s["calls"]]
    key = "corrected_ns" if all("corrected_ns" in s for s in rows) else "ns"
    print("# FUNCTION NANOSECONDS CALLS: mean self time of a call in the unit's %d counted units, warm-up and pauses apart, %s"
          % (unit["statistics"]["counted"], "without the probes' cost" if key == "corrected_ns" else "with the probes' cost in it"))
    for s in rows:
        print(s["name"], "%.0f" % (s[key] / s["calls"]), s["calls"])


if __name__ == "__main__":
    main()
