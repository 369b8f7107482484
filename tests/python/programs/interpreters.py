# SPDX-License-Identifier: Apache-2.0
"""Interpreters beside the main one, made and ended again and again, in the main thread and in others; what they call is not looked at,
the main one's calls are."""
import os
import threading

try:
    import _interpreters as interpreters  # 3.13 on
except ImportError:
    import _xxsubinterpreters as interpreters
from truth import blank, calls, extra, library, note, seen, tell, trigger

SCRIPT = """
import os
def other_%d(n):
    return n and other_%d(n - 1)
def generates():
    yield other_%d(3)
try:
    import ctypes
    hooked = getattr(ctypes.PyDLL(None), "trigger", None)
except ImportError:
    hooked = None
for i in range(20):
    other_%d(5)
    list(generates())
    if hooked:
        hooked()
os.write(%d, b"%%d\\n" %% (20 if hooked else 0))
"""


def leaf():
    seen()
    note(); trigger()


def run(number, write):
    one = interpreters.create()
    interpreters.run_string(one, SCRIPT % (number, number, number, number, write))
    leaf()
    interpreters.destroy(one)


def use(turns):
    seen()
    read, write = os.pipe()
    done = 0
    for number in range(turns):
        run(number, write)
        done += int(os.read(read, 100))
        leaf()
    os.close(read)
    os.close(write)
    return done


note(); trigger()
leaf()
extra["hooked"] = use(6)
results = []
threads = [threading.Thread(target=lambda: results.append(use(3))) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
extra["hooked"] += sum(results)
leaf()
tell()
