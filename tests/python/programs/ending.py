# SPDX-License-Identifier: Apache-2.0
"""Hooked calls while the interpreter goes down: atexit, destructors of modules, a daemon thread that never stops."""
import atexit
import threading
import time
from truth import library, released, tell, trigger


class Last:
    def __init__(self):
        self.trigger = trigger

    def finish(self):
        self.trigger()

    def __del__(self):
        self.finish()


def forever():
    while True:
        released.trigger()
        time.sleep(0.0001)


def at_end():
    trigger()


trigger()
keep = Last()
atexit.register(at_end)
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.02)
tell()
