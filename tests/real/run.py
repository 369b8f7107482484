# SPDX-License-Identifier: Apache-2.0
"""Runs programs of programs/ one after the other in one process, each as __main__:  python run.py mm linear ...
On the simulated device the file REAL_COUNTS then says how many kernels and graphs the process launched: "KERNELS GRAPHS"."""
import ctypes
import importlib
import os
import runpy
import sys

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


class Counts(ctypes.Structure):
    """struct ovh_sim_counts of include/ovh/sim.h"""
    _fields_ = [(name, ctypes.c_uint64) for name in ("launches captured graph_nodes copies memsets blocked blocked_ns waits wait_ns allocated "
                                                     "kernel_calls graph_calls").split()]


if __name__ == "__main__":
    sys.path.insert(0, PROGRAMS)
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is written into this folder
    importlib.import_module("tell")
    sys.dont_write_bytecode = kept
    names, sys.argv = sys.argv[1:], sys.argv[:1]
    for name in names:
        runpy.run_path(os.path.join(PROGRAMS, name + ".py"), run_name="__main__")
    sys.stdout.flush()
    if os.environ.get("REAL_COUNTS"):
        counts = Counts()
        ctypes.CDLL(None).ovh_sim_get_counts(ctypes.byref(counts))
        with open(os.environ["REAL_COUNTS"], "w") as said:
            said.write("%d %d\n" % (counts.kernel_calls, counts.graph_calls))
