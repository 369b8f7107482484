#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profiler's own cost is taken off: traces whose truth is known, with probes that cost something."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import report, run, step
from ladder import Ladder
from tap import main


def truth(p):
    """Mean ns of a step at level 0, without any probe."""
    own = [x for x in p.truth[0] if x is not None]
    return sum(map(p.wall_without_probes, own)) / len(own)


def close(r, p, share=0.02):
    e, want = r["unit"]["estimate"], truth(p)
    assert e["why_not"] is None, e
    assert abs(e["corrected_ns"]["value"] - want) <= share * want, (e, want)
    assert abs(e["control_ns"]["value"] - want) <= share * want, (e, want)
    assert abs(e["error"]["value"]) <= share, e["error"]
    return e


def sums(r):
    u = r["unit"]
    n = u["statistics"]["counted"]
    total = sum(c["corrected_ns"] for name, c in u["classes"].items() if name != "wait")
    assert abs(total / n - u["estimate"]["corrected_ns"]["value"]) < 1
    assert sum(s["corrected_ns"] for s in u["steps"]) == sum(c["corrected_ns"] for c in u["classes"].values())
    assert all(s["corrected_ns"] >= 0 for s in u["steps"])


def test_without_noise_the_truth_comes_out():
    for top in (1, 2, 3):
        p = Ladder(top=top, call=40, frame=100, native=60).rounds(14)
        r = report(p.end(), *(["--unit", "Net.forward"] if top > 1 else []))
        e = close(r, p, 0.002)
        sums(r)
        assert e["raw_ns"]["value"] > 1.003 * e["corrected_ns"]["value"]


def test_each_functions_own_time_comes_out():
    p = Ladder(call=40, frame=100, native=60).rounds(14)
    r = report(p.end())
    n, share = r["unit"]["statistics"]["counted"], 40_000 // 20
    for name, want, raw in (("helper", 12 * (share // 12), 12 * 50), ("dict.update", 10 * (share * 4 // 10), 10 * 30), ("cudaGetDevice", 4 * (share // 4), 4 * 20)):
        s = step(r, name)
        assert s["ns"] == n * (want + raw), name
        assert abs(s["corrected_ns"] / n - want) < 0.02 * want + 40, (name, s["corrected_ns"] / n, want)


def test_probes_of_any_cost_drift_outliers_two_durations_and_recurring_work():
    dice = random.Random(5)
    shapes = {
        "noise": lambda i: 40_000 * dice.gauss(1, 0.02),
        "drift": lambda i: 40_000 * (1 + i / 40_000) * dice.gauss(1, 0.01),
        "outliers": lambda i: 40_000 * (dice.gauss(1, 0.02) + (2 if dice.random() < 0.005 else 0)),
        "two durations": lambda i: (40_000 if i % 2 else 60_000) * dice.gauss(1, 0.01),
        "recurring": lambda i: 40_000 * (2 if i % 37 == 0 else 1),
    }
    for name, base in shapes.items():
        costs = [dice.randrange(0, 200, 4) for _ in range(3)]
        p = Ladder(*costs, base=base, seed=len(name)).rounds(25)
        close(report(p.end()), p)


def test_several_launches_and_waits_now_and_then():
    p = Ladder(launches=3, sync_every=100).rounds(14)
    close(report(p.end()), p, 0.005)


def test_the_head_says_it_and_raw_shows_what_was_measured():
    p = Ladder(frame=100).rounds(14)
    text = run(p.end())[1]
    m = re.search(r"^profiling cost: raw ([\d.]+), corrected ([\d.]+), control ([\d.]+) us/call \(measured error [+-][\d.]+ % \[.*\]\), from 14 windows of level 3$", text, re.M)
    assert m and float(m.group(1)) > float(m.group(2)), text[:600]
    assert "%s us/call corrected" % m.group(2) in text and re.search(r"^ *sum +%s " % re.escape(m.group(2)), text, re.M), text
    raw = run(p.trace, "--raw")[1]
    assert "corrected  [" not in raw and not re.search(r"^ *sum +%s " % re.escape(m.group(2)), raw, re.M) and "not taken off" in raw


def test_what_cannot_be_measured_is_said_with_its_reason():
    p = Ladder().rounds(3)
    e = report(p.end())["unit"]["estimate"]
    assert e["why_not"] == "too few windows" and e["windows"] == 3 and "corrected_ns" not in e
    assert "error not measurable: too few windows of level 3 with level 0 on both sides (3, 6 are needed)" in run(p.trace)[1]
    p = Ladder()
    for _ in range(100):
        p.step()
    r = report(p.end())
    assert r["unit"]["estimate"]["why_not"] == "one level" and "corrected_ns" not in r["unit"]["classes"]["python"]
    assert "error not measurable: all of the run was recorded at one level" in run(p.trace)[1]
    p = Ladder(sync_every=1).rounds(10)
    assert report(p.end())["unit"]["estimate"]["why_not"] == "too much waiting"


if __name__ == "__main__":
    main()
