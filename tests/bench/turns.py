#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What being recorded costs real PyTorch, as a ratio: torch.nn.Linear's forward on the simulated device, bare, under the no-op twin and
under libovh.so.

One process per variant lives at a time; they take turns on one CPU, a window of calls each, in random order in every round. What the
machine does to one window it does to its neighbours, so the ratios within a round are steady where single runs scatter by half. Two
equal processes still differ by 1 to 3 % for as long as they live (where their memory lies), so the whole set is started anew several
times: the spread between the sets is the error, and `again`, a second bare process, shows the floor of the method.

    turns.py [--python EXE] [--sets 4] [--rounds 40] [--calls 64] [--cpu N] [--gpu] [--json FILE]

--gpu takes the machine's GPU instead of the simulated device.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
OUT = os.path.join(ROOT, os.environ.get("OUT", "."))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/x86_64"))
SETTLE = 8  # calls before each window that are not timed: what the other processes threw out of the caches comes back
WARM = 600  # calls before the first window

WORKER = """
import sys, time, torch
x = torch.randn(512, 2048, dtype=torch.bfloat16, device="cuda", requires_grad=True)
m = torch.nn.Linear(2048, 2048, bias=False, dtype=torch.bfloat16, device="cuda")
calls, settle, warm = map(int, sys.argv[1:])
for _ in range(warm): m(x)
torch.cuda.synchronize()
print("turn", flush=True)
for line in sys.stdin:
    for _ in range(settle): m(x)
    begin = time.perf_counter_ns()
    for _ in range(calls): m(x)
    end = time.perf_counter_ns()
    torch.cuda.synchronize()
    print("turn", (end - begin) / calls, flush=True)
"""


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--python", default=os.environ.get("OVH_TEST_TORCH") or os.path.join(ROOT, "build/venv-torch/bin/python"))
    p.add_argument("--sets", type=int, default=4)
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--calls", type=int, default=64)
    p.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    p.add_argument("--gpu", action="store_true")
    p.add_argument("--json")
    return p.parse_args()


def environments(a, folder):
    """Name -> environment. The one that ovh-record makes for this Python is the model; the others have libovh.so taken out or replaced."""
    show = [a.python, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
    words = [os.path.join(OUT, "ovh-record"), "-q", "-o", os.path.join(folder, "trace.bin"), *([] if a.gpu else ["--sim"]), "--"]
    recorded = json.loads(subprocess.run(words + show, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout)
    first, _, rest = recorded["LD_PRELOAD"].partition(":")
    if os.path.basename(first) != "libovh.so":
        sys.exit("turns: LD_PRELOAD does not begin with libovh.so: " + recorded["LD_PRELOAD"])
    bare = dict(recorded, LD_PRELOAD=rest)
    twin = dict(recorded, LD_PRELOAD=os.path.join(BUILD, "libovh-twin.so") + (":" + rest if rest else ""))
    return {"bare": bare, "again": bare, "twin": twin, "ovh": recorded}


class Worker:
    def __init__(self, a, environment):
        words = [a.python, "-c", WORKER, str(a.calls), str(SETTLE), str(WARM)]
        self.process = subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: os.sched_setaffinity(0, {a.cpu}))

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("turn"):
                return float((line.split() + ["0"])[1])
        sys.exit("turns: a worker ended with status %s" % self.process.wait())

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def one_set(a):
    """Starts one process per variant and lets them take turns. Returns name -> list of ns per call, one per round."""
    with tempfile.TemporaryDirectory() as folder:
        workers = {name: Worker(a, e) for name, e in environments(a, folder).items()}
        for w in workers.values():
            w.answer()
        times = {name: [] for name in workers}
        for _ in range(a.rounds):
            for name in random.sample(list(workers), len(workers)):
                times[name].append(workers[name].turn())
        for w in workers.values():
            w.end()
        if not os.path.exists(os.path.join(folder, "trace.bin")):
            sys.exit("turns: the recorded process left no trace: there is nothing to compare")
    return times


def summary(sets):
    """Per variant: median us per call, and the ratio to bare with its standard error over the sets."""
    rows = {}
    for name in sets[0]:
        ratios = [statistics.median(y / x for x, y in zip(s["bare"], s[name])) for s in sets]
        error = statistics.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else None
        rows[name] = {"us_per_call": statistics.median(statistics.median(s[name]) for s in sets) / 1e3, "ratio": statistics.mean(ratios),
                      "ratio_se": error, "ratio_of_each_set": ratios}
    return rows


def main():
    a = arguments()
    if not os.path.exists(a.python):
        sys.exit("turns: no PyTorch: %s is missing; `make test-venvs` fetches one, OVH_TEST_TORCH names another" % a.python)
    rows = summary([one_set(a) for _ in range(a.sets)])
    device = "GPU" if a.gpu else "simulated device"
    print("torch.nn.Linear forward, 512 x 2048 bf16, %s: %d sets of %d rounds of %d calls" % (device, a.sets, a.rounds, a.calls))
    for name, r in rows.items():
        print("  %-6s %8.2f us/call   ratio %.4f%s" % (name, r["us_per_call"], r["ratio"],
                                                       " +- %.4f" % r["ratio_se"] if r["ratio_se"] is not None else ""))
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"bench": "torch_linear", "device": device, "sets": a.sets, "rounds": a.rounds, "calls": a.calls, "rows": rows}, f, indent=1)


if __name__ == "__main__":
    main()
