# SPDX-License-Identifier: Apache-2.0
"""Units of work: units.py N WAY. step() is called N times; each makes as many hooked calls as its number says; the first CUDA call is made before them,
or within the first (WAY inside). WAY raise: every third raises. WAY thread: in a worker, which the main thread waits for."""
import ctypes
import json
import os
import sys
import threading

from truth import trigger

api = ctypes.pythonapi
api.PyInterpreterState_Main.restype = ctypes.c_void_p
slot = getattr(api, "_PyInterpreterState_GetEvalFrameFunc")
slot.argtypes, slot.restype = [ctypes.c_void_p], ctypes.c_void_p
own = ctypes.cast(getattr(api, "_PyEval_EvalFrameDefault"), ctypes.c_void_p).value


class Work:
    def leaf(self):
        trigger()

    def step(self, number, fails):
        for _ in range(number):
            self.leaf()
        if fails:
            raise KeyError(number)


def other():
    trigger()


def work(n, way):
    if way != "inside":
        trigger()
    for number in range(1, n + 1):
        try:
            Work().step(number, way == "raise" and number % 3 == 0)
        except KeyError:
            pass
        other()


n, way = int(sys.argv[1]), sys.argv[2]
if way == "thread":
    thread = threading.Thread(target=work, args=(n, way))
    thread.start()
    thread.join()
else:
    work(n, way)
for _ in range(3):
    other()
print(json.dumps({"pid": os.getpid(), "hooked": slot(api.PyInterpreterState_Main()) != own}))
