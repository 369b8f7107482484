#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real PyTorch's nn.Linear on the simulated device, from the command line to the report. Two releases of PyTorch where both are here."""
import json
import os
import re
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from recorded import ROOT, Recorded
from tap import main, skip

ROUNDS, CALLS, WARMUP = 3, 400, 300
made = {}


def recorded(variable, folder):
    """The run with that PyTorch, made once."""
    python = os.environ.get(variable) or os.path.join(ROOT, folder, "bin/python")
    if not os.path.exists(python):
        skip("no PyTorch: %s is not set and %s is not there (make test-venvs)" % (variable, folder))
    if variable not in made:
        script = os.path.join(ROOT, "examples/benchmark_linear_cpu_overhead.py")
        # Rows are few, so that the simulated kernels are shorter than the host's work: the queue never fills.
        command = [python, script, "--backend", "torch", "--seq_length", "256", "--timing_iters", str(CALLS), "--warmup", str(WARMUP),
                   "--num_rounds", str(ROUNDS)]
        with tempfile.TemporaryDirectory() as where:
            made[variable] = Recorded(where, command)
            made[variable].python, made[variable].script = python, script
            made[variable].tree = made[variable].ovh_report("--tree").stdout
            made[variable].all_calls = json.loads(made[variable].ovh_report("--warmup", "0", "--format", "json").stdout)["reports"][0]["unit"]
    return made[variable]


def new():
    return recorded("OVH_TEST_TORCH", "build/venv-torch")


def old():
    return recorded("OVH_TEST_TORCH_OLD", "build/venv-torch-old")


def says_simulated(r):
    assert r.report["simulated_device"] is True
    assert "simulated device" in r.text.splitlines()[0], r.text.splitlines()[0]


def unit_is_the_linear(r):
    unit = r.report["unit"]
    assert unit, r.report["why_no_unit"]
    assert "Linear.forward" in (unit["name"], unit["called_as"]) or unit["name"].endswith("Linear.forward"), unit["name"]
    assert unit["file"].endswith("torch/nn/modules/linear.py") or unit["file"].endswith("torch/nn/modules/module.py"), unit["file"]
    s = unit["statistics"]
    assert s["n"] == ROUNDS * CALLS, s  # the warm-up is another loop of the program
    assert s["counted"] + s["warmup"] + s["pauses"] == s["n"] and s["counted"] > 0, s


def one_launch_per_call(r):
    counts, counted = r.report["unit"]["counts"], r.report["unit"]["statistics"]["counted"]
    assert counts["launches"] == counted, (counts, counted)
    assert counts["gemms"] == counted, (counts, counted)
    assert counts["syncs"] == 0, counts
    assert r.report["run"]["counts"]["launches"] >= WARMUP + ROUNDS * CALLS, r.report["run"]["counts"]


def classes_add_up(r):
    unit = r.report["unit"]
    total = sum(c["ns"] for c in unit["classes"].values())
    assert abs(total / unit["wall_ns"] - 1) <= 0.02, (total, unit["wall_ns"])
    for name in ("python", "cublas", "cudart"):
        assert unit["classes"][name]["ns"] > 0, unit["classes"]


def agrees_with_the_script(r):
    """One run measured twice: by the script around its loop, and by the trace call for call. With every call and every pause in both, what
    the machine did in that time does not matter."""
    printed = float(re.search(r"Average CPU time over \d+ rounds: ([\d.]+) µs", r.printed).group(1))
    s = r.all_calls["statistics"]
    assert s["n"] == s["counted"] + s["pauses"] == ROUNDS * CALLS, s
    mean = (r.all_calls["wall_ns"] + s["pauses_ns"]) / s["n"] / 1e3
    assert abs(mean / printed - 1) <= 0.02, (mean, printed)


def nothing_is_lost(r):
    q = r.report["quality"]
    assert q["lost"] == 0 and q["damages"] == 0 and q["unresolved"] == 0 and q["ended"], q
    assert r.text_run.returncode == 0 and r.json_run.returncode == 0, (r.text_run.returncode, q)


def forms_agree(r):
    assert r.whole["schema"] == "ovh-report" and r.whole["version"] >= 1
    for word in ("python", "cublas", "cudart", "sum", "wall"):
        assert re.search(r"^\s*%s\s" % word, r.text, re.M), (word, r.text)
    assert "forward" in r.tree and "cublasGemmEx" in r.tree, r.tree


def readme_shows_what_is_printed(r):
    """The lines of README's report whose words do not depend on the machine, digits aside."""
    def words(text):
        lines = [re.sub(r"\d[\d.]*", "N", re.sub(r"(?<=\d) (?=\d{3}\b)", "", line)) for line in text.splitlines()]
        fixed = ("profiling cost:", "event us", "class ", "costliest steps", "per call:", "N  Linear.forward", "N us/call")
        return {re.sub(r"(?<=\S)\s+", " ", line.strip()) for line in lines if line.strip().startswith(fixed)}

    with open(os.path.join(ROOT, "README.md")) as f:
        shown = words(re.search(r"```\n(ovh-report .*?)```", f.read(), re.S).group(1))
    assert len(shown) == 8 and shown <= words(r.text), (shown - words(r.text), words(r.text))


def levels_take_turns_by_default(r):
    """What a user gets without options: all launches, the time between the program's events, detail of some calls, their cost known."""
    more = [r.script, "--backend", "torch", "--seq_length", "256", "--timing_iters", "1500", "--warmup", str(WARMUP), "--num_rounds", "2"]
    with tempfile.TemporaryDirectory() as where:
        whole = Recorded(where, [r.python, *more], detail="auto")
    report = whole.report
    levels = {level["level"]: level for level in report["run"]["levels"]}
    assert {0, 1, 2} < set(levels) and max(levels) in (2, 3), levels
    assert report["run"]["counts"]["launches"] >= WARMUP + 2 * 1500, report["run"]["counts"]
    unit = report["unit"]
    assert unit["counts"]["launches"] == unit["statistics"]["counted"] > 0, unit["counts"]
    assert "Linear.forward" in (unit["name"], unit["called_as"]), unit["name"]
    timed = re.search(r"between the program's own events, over ([\d ]+) calls", whole.text)
    assert timed and int(timed.group(1).replace(" ", "")) in (1500, 3000), whole.text  # the first round may lie in the run's beginning
    assert "profiling cost: raw " in whole.text or "error not measurable" in whole.text, whole.text


CHECKS = [says_simulated, unit_is_the_linear, one_launch_per_call, classes_add_up, agrees_with_the_script, nothing_is_lost, forms_agree,
          levels_take_turns_by_default, readme_shows_what_is_printed]
for check in CHECKS:
    for which in (new, old):
        def one(check=check, which=which):
            check(which())
        one.__doc__ = "%s PyTorch: %s" % (which.__name__, check.__name__.replace("_", " "))
        globals()["test_%s_%s" % (which.__name__, check.__name__)] = one

if __name__ == "__main__":
    main()
