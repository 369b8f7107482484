# SPDX-License-Identifier: Apache-2.0
"""All hooked calls come with the GIL released: recording begins at the main thread's next evaluation of bytecode."""
import time
from truth import blank, note, released, seen, shots, tell

trigger = released.trigger


def leaf():
    seen()
    note(); trigger()


blank(); trigger()
time.sleep(0)
for i in range(10):
    pass


def start():
    return sum(range(10))


start()
note(); trigger()
for i in range(20):
    leaf()
tell()
