# SPDX-License-Identifier: Apache-2.0
"""Levels are switched a thousand times while four threads call C functions; then everything is as it was. Peeks at slots by their
addresses, which are those of CPython 3.9 to 3.13 with the GIL."""
import collections
import ctypes
import math
import sys
import threading
import tracemalloc
from truth import extra, library, tell, trigger

POINTER = ctypes.sizeof(ctypes.c_void_p)
FUNCTIONS = [abs, divmod, isinstance, len, math.hypot, list.append, dict.get, list.reverse]
TYPES = [type(abs), type(object.__init__), type(object().__init__), type]
METHODS = [id(f) + (40 if type(f) is type(list.append) else 16) for f in FUNCTIONS]
SLOTS = [id(f) + 48 for f in FUNCTIONS] + [id(t) + 128 for t in TYPES] + METHODS


def slots():
    return [ctypes.c_void_p.from_address(place).value for place in SLOTS]


def work(n):
    total, items = 0, []
    for i in range(n):
        total += abs(-i) + divmod(i, 3)[1] + isinstance(i, int) + len("ab") + int(math.hypot(3, 4))
        items.append(i)
        items.reverse()
        total += {}.get(1, i) + sum(map(abs, (1, -2)))
        try:
            total += int("x")
        except ValueError:
            total += 1
        object.__setattr__(SETS, "a", i)
        total += len("{}".format(i))
    return total


class Sets:
    pass


SETS, right, wrong, left = Sets(), [], [], [4]


def worker(turn):
    for _ in range(12):
        answer = work(200)
        (right if answer == expected else wrong).append(answer)
    left[0] -= 1


def levels():
    """A thousand switches; the threads that end meanwhile are followed by new ones."""
    n = 0
    while n < 1000 or left[0] > 0:
        library.trigger_level((3, 1, 3, 2)[n % 4])
        abs(n)
        n += 1
        if n % 100 == 0:
            short = threading.Thread(target=work, args=(5,))
            short.start()
            short.join()
    return n


expected = work(200)
before = slots()
trigger()
armed = slots()
work(200)
references = [sys.getrefcount(f) for f in FUNCTIONS]
threads = [threading.Thread(target=worker, args=(turn,)) for turn in range(4)]
for thread in threads:
    thread.start()
extra["switches"] = levels() >= 1000
for thread in threads:
    thread.join()
extra["wrong"] = wrong[:3]
extra["right"] = len(right)
library.trigger_level(1)
extra["armed"] = sum(a != b for a, b in zip(before, armed)) > 0
extra["restored"] = slots() == before
extra["references"] = [now - then for now, then in zip([sys.getrefcount(f) for f in FUNCTIONS], references)]
tracemalloc.start()
for n in range(20):
    library.trigger_level((3, 1)[n % 2])
    work(20)
first = tracemalloc.get_traced_memory()[0]
for n in range(200):
    library.trigger_level((3, 1)[n % 2])
    work(20)
extra["grown"] = tracemalloc.get_traced_memory()[0] - first
tracemalloc.stop()

# somebody else takes a slot while it is ours: it stays his, and calls still work
OTHER = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
place = ctypes.c_void_p.from_address(id(math.hypot) + 48)
library.trigger_level(3)
ours, calls = place.value, []
chained = OTHER(ours)
other = OTHER(lambda function, arguments, n, names: (calls.append(1), chained(function, arguments, n, names))[1])
place.value = ctypes.cast(other, ctypes.c_void_p).value
for n in range(10):
    library.trigger_level((1, 3)[n % 2])
    if math.hypot(3, 4) != 5 or list(map(math.hypot, (3,), (4,))) != [5]:
        extra["other"] = "wrong"
extra["chained"] = len(calls) >= 10   # map uses the slot; a site that the interpreter has specialised goes past it
extra["kept"] = place.value == ctypes.cast(other, ctypes.c_void_p).value
library.trigger_level(1)
place.value = before[FUNCTIONS.index(math.hypot)]
tell()
