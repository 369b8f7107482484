#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Levels of detail that take turns: what is seen at the highest level is the unit's, what is counted is counted everywhere."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import names, report, run, step
from ladder import Ladder
from tap import main


def test_units_are_those_of_the_highest_level_and_launches_those_of_the_whole_run():
    p = Ladder(sync_every=50).rounds(6)
    r = report(p.end())
    u = r["unit"]
    assert (u["name"], u["called_from"]) == ("Net.forward", "train"), (u["name"], u["called_from"])
    assert r["run"]["counts"]["launches"] == p.counts["launches"] and r["run"]["counts"]["syncs"] == p.counts["syncs"]
    n = u["statistics"]["counted"]
    assert u["counts"]["launches"] == n and step(r, "helper")["calls"] == 12 * n and step(r, "cudaGetDevice")["calls"] == 4 * n
    assert step(r, "dict.update")["calls"] == 10 * n
    assert names(r) == {"Net.forward", "helper", "dict.update", "cudaGetDevice", "cuLaunchKernelEx", "(between calls)"}


def test_a_unit_takes_what_it_takes_whatever_the_windows_do():
    """Every unit of the highest level, none that a switch disturbed or cut, has the same duration, to the ns."""
    for top in (2, 3):
        p = Ladder(top=top).rounds(5)
        r = report(p.end(), "--units", "--warmup", "0")
        cost = 13 * 60 + 4 * 32 + (10 * 40 if top == 3 else 0)
        share = 40_000 // 20
        own = 12 * (share // 12) + 10 * (share * 4 // 10) + 4 * (share // 4) + 2000 + 40_000 - share * 7 - 2000 + share
        whole = [x for x in r["unit"]["unit_ns"] if x != own + cost]
        assert len(whole) <= 1, (own + cost, set(r["unit"]["unit_ns"]))  # the one in which the beginning ended
        n = r["unit"]["statistics"]["n"]
        assert n == 40 + 5 * 24 or n == 40 + 5 * 24 + 1, n


def test_how_much_of_the_run_was_recorded_at_which_level_is_told():
    p = Ladder().rounds(4)
    r = report(p.end())
    levels = {l["level"]: l for l in r["run"]["levels"]}
    assert {k: l["windows"] for k, l in levels.items()} == {0: 13, 1: 4, 2: 4, 3: 5}
    assert sum(l["ns"] for l in levels.values()) == r["recorded_ns"]
    assert sum(l["launches"] for l in levels.values()) == p.counts["launches"]
    assert sum(c["ns"] for c in r["run"]["classes"].values()) <= levels[3]["ns"], "time of lower windows is nobody's"
    text = run(p.trace)[1]
    assert "levels of detail took turns: level 0 (launches and blocking calls)" in text


def test_one_level_is_as_ever():
    p = Ladder(top=2)
    for _ in range(100):
        p.step()
    r = report(p.end())
    assert r["run"]["levels"] == [{"level": 2, "windows": 1, "ns": r["recorded_ns"], "launches": 100}]
    assert r["unit"]["statistics"]["n"] == 100 and "took turns" not in run(p.trace)[1]


def test_waits_of_all_levels_tell_the_verdict():
    v = report(Ladder(sync_every=100).rounds(8).end())["unit"]["verdict"]
    assert v["kind"] == "GPU-bound" and v["waits"] >= 15 and v["waits_ended_at_once"] == 0, v
    assert 40_000 + 4_000 < v["gpu_ns_from_waits"] < 42_000 + 6_500, v
    p = Ladder(sync_every=100)
    p.sync_ns = 500
    v = report(p.rounds(8).end())["unit"]["verdict"]
    assert v["kind"] == "host-bound" and v["waits"] == v["waits_ended_at_once"] >= 15, v


def test_damage_and_short_windows_are_survived():
    p = Ladder().rounds(3)
    data = bytearray(p.end().bytes())
    for cut in (len(data) // 2, len(data) - 70_000):
        status, _, _ = run(bytes(data[:cut]))
        assert status == 4
    p = Ladder().rounds(3, control=1, window=1, settle=30)
    assert report(p.end())["run"]["counts"]["launches"] == p.counts["launches"]


def test_every_form_copes():
    p = Ladder(sync_every=20).rounds(3)
    p.end()
    for form in (["--tree"], ["--timeline"], ["--unit", "helper"], ["--unit", "Net.forward"]):
        status, out, err = run(p.trace, *form)
        assert status == 0 and out, (form, err)


if __name__ == "__main__":
    main()
