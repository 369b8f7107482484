# SPDX-License-Identifier: Apache-2.0
"""Threads at once and one after the other; the first hooked call comes while others are already deep in their frames."""
import threading
import time
from truth import note, released, seen, tell, trigger

go, ready = threading.Event(), threading.Barrier(4)


def leaf():
    seen()
    note(); trigger()


def deep(n):
    if n:
        return deep(n - 1)
    ready.wait()
    go.wait()
    note(); trigger()
    for i in range(50):
        leaf()
    note(); trigger()


def short(n):
    seen()
    for i in range(n):
        leaf()
        note(); released.trigger()


early = [threading.Thread(target=deep, args=(10 + i,)) for i in range(3)]
for thread in early:
    thread.start()
ready.wait()
note(); trigger()
go.set()
leaf()
for thread in early:
    thread.join()
for turn in range(10):
    some = [threading.Thread(target=short, args=(5,)) for i in range(3)]
    for thread in some:
        thread.start()
    for thread in some:
        thread.join()
note(); trigger()
tell()
