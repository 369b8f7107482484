# SPDX-License-Identifier: Apache-2.0
"""What the programs here tell about themselves, in JSON, as their last line of output.

note() before a hooked call on the same line: the frames of this thread (name, line), outermost first, that call is made from.
seen() at the beginning of a function: one call of it.
"""
import collections
import ctypes
import fcntl
import json
import os
import sys
import threading

cudart = os.environ.get("TRUTH_CUDART")
library = ctypes.PyDLL(cudart)   # calls keep the GIL
released = ctypes.CDLL(cudart)   # calls release it
if cudart:                       # the whole library, on a CUDA runtime found with dlsym(handle, name)
    library.trigger, released.trigger = library.cudaGetLastError, released.cudaGetLastError
trigger = getattr(library, "trigger", library.getpid)  # without us: the program's own results, for comparison
calls = collections.Counter()
shots = {}                       # thread -> [[(name, line), ...], ...]
extra = {}
ids = threading.get_native_id


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def frames(frame):
    path = []
    while frame:
        path.append((name_of(frame.f_code), frame.f_lineno))
        frame = frame.f_back
    return path[::-1]


def note():
    shots.setdefault(ids(), []).append(frames(sys._getframe(1)))


def blank():
    """Before a hooked call whose frames are not told."""
    shots.setdefault(ids(), []).append(None)


def seen():
    calls[name_of(sys._getframe(1).f_code)] += 1


def tell():
    with open(__file__) as turn:  # processes that end together take turns
        fcntl.flock(turn, fcntl.LOCK_EX)
        print(json.dumps({"calls": calls, "shots": shots, "extra": extra, "pid": os.getpid()}), flush=True)
