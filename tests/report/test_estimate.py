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


def corrected_ladder():
    p = Ladder(call=40, frame=100, native=60)
    p.CALLS = 12
    return p.rounds(14)


def test_every_form_shows_corrected_times_and_raw_ones_when_asked():
    p = corrected_ladder()
    r = report(p.end())
    want, share = truth(p) / 1000, 40_000 // 20
    host = r["unit"]["verdict"]["corrected_host_ns"] / 1000
    assert abs(host - want) < 0.02 * want < r["unit"]["verdict"]["host_ns"] / 1000 - want
    for options in ([], ["--raw"]):
        raw = bool(options)
        near = lambda x, own, probes: abs(x - (own + probes * raw) / 1000) < 0.011 + 0.01 * own / 1000
        text = run(p.trace, *options)[1]
        said = float(re.search(r"verdict: .*?host ([\d.]+) us", text).group(1))
        assert near(said, truth(p), 2380), (said, options)
        tree = [line.split() for line in run(p.trace, "--tree", *options)[1].splitlines()]
        rows = {f[4]: f for f in tree if len(f) > 4 and f[3] in ("python", "native", "cudart", "driver")}
        assert near(float(rows["helper"][0]), 12 * (share // 12), 12 * 50), rows["helper"]
        assert near(float(rows["cudaGetDevice"][0]), 12 * (share // 12), 12 * 20), rows["cudaGetDevice"]
        assert near(float(rows["Net.forward"][0]) + float([f for f in tree if "(between" in f][0][0]), truth(p), 2380), rows["Net.forward"]
        lines = [f.split() for f in run(p.trace, "--timeline", *options)[1].split("step\n")[-1].splitlines()]
        spans = [(float(f[0]), float(f[1]), f[3]) for f in lines]
        assert [x[2] for x in spans[:3]] == ["Net.forward", "helper", "helper"]
        assert all(near(length, share // 12, 50) for _, length, name in spans if name == "helper"), spans
        assert all(near(length, share * 4 // 10, 30) for _, length, name in spans if name == "dict.update"), spans
        assert near(spans[0][1], truth(p) - share, 2330), spans[0]
        assert near(spans[-1][0] + spans[-1][1], truth(p) - share - (40_000 - share * 7 - 2000), 2305), spans[-1]


def test_modules_add_up_to_the_corrected_time():
    p = Ladder(call=40, frame=100, native=60, modules=True).rounds(14)
    r = report(p.end())
    u, m = r["unit"], r["unit"]["modules"]
    n, own = u["statistics"]["counted"], 12 * (40_000 // 20 // 12)
    rows = {row["path"]: row for row in m["rows"]}
    net, child = rows["Net"], rows["Net.sub"]
    assert child["calls"] == 12 * n and child["self_ns"] == n * (own + 12 * 50) and abs(child["corrected_self_ns"] / n - own) < 0.02 * own, child
    total = sum(row["corrected_self_ns"] for row in m["rows"]) + m["corrected_outside_ns"] + m["backward"]["corrected_self_ns"]
    assert abs(total / n - u["estimate"]["corrected_ns"]["value"]) < 1, (total / n, u["estimate"])
    assert abs(net["corrected_ns"] - net["corrected_self_ns"] - child["corrected_ns"]) < 2 * n
    table, raw = (run(p.trace, "--by", "module", *o)[1] for o in ([], ["--raw"]))
    shown = [[float(x.split()[1]) for x in t.splitlines() if x.split()[:1] == ["wall"]][-1] for t in (table, raw)]
    assert abs(shown[0] - truth(p) / 1000) < 0.02 * truth(p) / 1000 and shown[1] > shown[0] + 2, shown


def test_findings_cost_what_they_cost_without_probes():
    p = corrected_ladder()
    f = [f for f in report(p.end(), "--findings", "0")["unit"]["findings"] if f["step"] == "cudaGetDevice"]
    n = report(p.trace)["unit"]["statistics"]["counted"]
    own, raw = 12 * (40_000 // 20 // 12), 12 * 20
    assert len(f) == 1 and f[0]["ns"] == n * (own + raw)
    assert abs(f[0]["corrected_ns"] / n - own) < 0.01 * own and f[0]["places"][0]["corrected_ns"] == f[0]["corrected_ns"]
    text = [run(p.trace, "--findings", "0", *o)[1] for o in ([], ["--raw"])]
    shown = [float(re.search(r"- the same device, stream or attribute .*?: ([\d.]+) us/call", t).group(1)) for t in text]
    assert abs(shown[0] - own / 1000) < 0.02 and abs(shown[1] - (own + raw) / 1000) < 0.01, shown


def test_the_table_of_backends_shows_the_corrected_time():
    p = corrected_ladder()
    p.end()
    shown = [float(run(p.trace, "--table", "--format", "csv", *o)[1].splitlines()[1].split(",")[2]) for o in ([], ["--raw"])]
    assert abs(shown[0] - truth(p) / 1000) < 0.01 * truth(p) / 1000 and shown[1] > shown[0] + 2, shown


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
