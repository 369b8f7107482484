# SPDX-License-Identifier: Apache-2.0
"""fork while other threads are in the middle of recorded frames; children work, make threads of their own, and fork again."""
import os
import sys
import threading
import time
import warnings

from truth import calls, note, released, seen, shots, tell, trigger

warnings.simplefilter("ignore")
stop = threading.Event()


def leaf():
    seen()
    note(); trigger()


def busy():
    def inner(n):
        released.trigger()
        return n and inner(n - 1)
    while not stop.is_set():
        inner(30)
        time.sleep(0.001)


def child(again):
    shots.clear()
    calls.clear()
    note(); trigger()
    leaf()
    thread = threading.Thread(target=leaf)
    thread.start()
    thread.join()
    if again:
        forked(False)
    leaf()
    tell()


def forked(again):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        child(again)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


note(); trigger()
threads = [threading.Thread(target=busy) for i in range(3)]
for thread in threads:
    thread.start()
for turn in range(5):
    forked(turn == 0)
    leaf()
stop.set()
for thread in threads:
    thread.join()
for shots_of in [tid for tid in shots if tid != os.getpid()]:
    del shots[shots_of]
leaf()
tell()
