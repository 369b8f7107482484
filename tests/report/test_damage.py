#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that make no sense, in every part of the report: it never crashes, its books stay balanced, and it says what it left out."""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program, run
from tap import main
from synthetic import R_GC, R_WINDOW, low_high


def trace(collector=True):
    """With the garbage collector's records, which carry ticks of their own: where one is spoilt, its time goes wrong with it."""
    p = Program()
    worker = p.trace.thread("worker")
    for i in range(30):
        p.linear()
        p.main.now += 50
        if i % 7 == 0:
            p.record_event(i)
            p.call(p.sync, 900)
            p.ask_elapsed(3.0)
        if i % 5 == 0:
            worker.now = p.main.now
            worker.call(p.driver, 10)
            if collector:
                p.main.record(R_GC, 2, *low_high(p.main.now))
            p.call(p.device, 70)
            if collector:
                p.main.record(R_GC, 2 | 0x8000, *low_high(p.main.now))
            p.main.unwind(0)
        if i % 11 == 0:
            p.main.record(R_WINDOW, 2, i, *low_high(p.main.now), 3)
            p.main.snapshot(p.main.open)
    return p.end()


def spoil(words, dice):
    words = list(words)
    for _ in range(dice.choice([1, 3, 20])):
        i, how = dice.randrange(len(words)), dice.random()
        if how < 0.3:
            words[i] ^= 1 << dice.randrange(32)
        elif how < 0.5:
            words[i] = words[dice.randrange(len(words))]
        elif how < 0.7:
            del words[i]
        elif how < 0.85:
            words.insert(i, words[dice.randrange(len(words))])
        else:
            words[i] = dice.getrandbits(32)
    return words


def check(out):
    r = json.loads(out)["reports"][0]
    assert sum(c["ns"] for c in r["run"]["classes"].values()) == sum(t["recorded_ns"] for t in r["run"]["threads"])
    if r["unit"]:
        assert r["unit"]["sum_ns"] == r["unit"]["wall_ns"] == sum(s["ns"] for s in r["unit"]["steps"]), r["unit"]


def spoilt_runs(t, forms, runs, look):
    dice = random.Random(20260101)
    whole = [(thread, *thread.chunks[0]) for thread in t.threads]
    codes = {}
    for n in range(runs):
        for thread, base, words in whole:
            thread.chunks = [(base, spoil(words, dice))]
        options = dice.choice(forms)
        code, out, err = run(t, *options, sealed=dice.random() < 0.5)
        assert code in (0, 4) and not err, (n, options, code, err)
        codes[code] = codes.get(code, 0) + 1
        look(out)
    assert codes[4] > runs / 2, codes


def test_spoilt_words_are_left_out_and_told():
    spoilt_runs(trace(), [("--tree",), ("--timeline",), (), ("--unit", "forward"), ("--format", "json")], 120, lambda out: None)


def test_sums_hold_whatever_is_spoilt():
    spoilt_runs(trace(collector=False), [("--format", "json"), ("--format", "json", "--unit", "forward")], 120, check)


def test_a_file_cut_anywhere_is_reported_as_far_as_it_is_whole():
    data = trace().bytes()
    for n in range(320, len(data), len(data) // 40):
        code, out, err = run(data[:n], "--format", "json")
        assert code in (0, 4) and not err, (n, code, err)
        check(out)


if __name__ == "__main__":
    main()
