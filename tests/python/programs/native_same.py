# SPDX-License-Identifier: Apache-2.0
"""Hash, equality, pickling, names and signatures of C functions, before they are called and after, with and without their calls
recorded; the references to them, before a thousand calls and after."""
import copy
import inspect
import math
import pickle
import sys
import zlib
from truth import extra, tell, trigger

FUNCTIONS = [abs, isinstance, len, divmod, sorted, math.hypot, math.floor, zlib.crc32, sys.getrecursionlimit, list.append, dict.get,
             dict.update, str.split, str.startswith, object.__setattr__, int, list, range]


def signature(function):
    try:
        return str(inspect.signature(function))
    except ValueError:
        return "none"


def seen_of(function):
    return [repr(function).split(" at 0x")[0], function.__name__, function.__qualname__, function.__doc__, signature(function),
            pickle.loads(pickle.dumps(function)) == function, copy.copy(function) is function,
            {function: 1}[function], function == function, type(function).__name__]


def call_all():
    mine, table, text = [], {}, "a b"
    abs(-1), isinstance(1, int), len(text), divmod(7, 2), sorted(text), math.hypot(3, 4), math.floor(2.5), zlib.crc32(b"a")
    sys.getrecursionlimit(), mine.append(1), table.get(1), table.update(a=1), text.split(), text.startswith("a")
    int("1"), list(text), range(2)


def bound():
    """Bound methods made before and after are equal, hash alike."""
    mine = []
    before = mine.append
    call_all()
    after = mine.append
    return [before == after, hash(before) == hash(after), before(1), after(2), mine]


hashes = [hash(f) for f in FUNCTIONS]
first = [seen_of(f) for f in FUNCTIONS]
trigger()
for _ in range(100):
    call_all()
extra["bound"] = bound()
extra["hashes"] = hashes == [hash(f) for f in FUNCTIONS]
second = [seen_of(f) for f in FUNCTIONS]
extra["same"] = first == second
extra["seen"] = second
references = [sys.getrefcount(f) for f in FUNCTIONS]
for _ in range(1000):
    call_all()
extra["references"] = [now - then for now, then in zip([sys.getrefcount(f) for f in FUNCTIONS], references)]
tell()
