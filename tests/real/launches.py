# SPDX-License-Identifier: Apache-2.0
"""How many launches traces hold, by what ovh-report --dump prints of them:  python launches.py OVH_REPORT TRACE...  prints "KERNELS GRAPHS"."""
import collections
import subprocess
import sys

KERNELS = {name + twin for name in ("cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel") for twin in ("", "_ptsz")}
GRAPHS = {"cuGraphLaunch", "cuGraphLaunch_ptsz"}


def launches(report, traces):
    """(calls that launch kernels, calls that launch graphs) of all `traces` together."""
    seen = collections.Counter()
    for trace in traces:
        dump = subprocess.Popen([report, "--dump", trace], stdout=subprocess.PIPE, text=True, errors="replace")
        for line in dump.stdout:
            if " enter " in line:
                seen[line.split()[-1].strip('"')] += 1
        if dump.wait():
            raise RuntimeError("%s --dump %s ended with %d" % (report, trace, dump.returncode))
    return sum(seen[name] for name in KERNELS), sum(seen[name] for name in GRAPHS)


if __name__ == "__main__":
    print(*launches(sys.argv[1], sys.argv[2:]))
