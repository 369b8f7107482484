# SPDX-License-Identifier: Apache-2.0
"""Goes on long after recording has stopped: says for how many of its turns the interpreter's evaluator was not its own. stops.py SECONDS: in the main
thread and in a worker, both with frames open all the time."""
import ctypes
import json
import os
import sys
import threading
import time

from truth import trigger

api = ctypes.pythonapi
api.PyInterpreterState_Main.restype = ctypes.c_void_p
slot = getattr(api, "_PyInterpreterState_GetEvalFrameFunc")
slot.argtypes, slot.restype = [ctypes.c_void_p], ctypes.c_void_p
own = ctypes.cast(getattr(api, "_PyEval_EvalFrameDefault"), ctypes.c_void_p).value
turns = {}


def is_hooked():
    return slot(api.PyInterpreterState_Main()) != own


def leaf():
    trigger()


def turn(name):
    leaf()
    turns[name] = turns.get(name, 0) + 1


def work(name, until):
    while time.monotonic() < until:
        turn(name)
        time.sleep(0.0005)


until = time.monotonic() + float(sys.argv[1])
thread = threading.Thread(target=work, args=("worker", until))
thread.start()
seen = []
while time.monotonic() < until:
    work("main", time.monotonic() + 0.02)
    seen.append(is_hooked())
thread.join()
print(json.dumps({"pid": os.getpid(), "turns": turns, "hooked": seen}))
