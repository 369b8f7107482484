# SPDX-License-Identifier: Apache-2.0
"""C functions of all kinds, called from Python. What one execution of each part calls stands above it; `extra` says what the
last two executions of measured() called, one of them on a thread."""
import collections
import contextlib
import functools
import math
import sys
import threading
import zlib
from truth import extra, tell, trigger

TURNS, THREADS = 40, 2
PARTS = []


def calls(failing=(), **names):
    """The calls of one execution by the names that the trace has for them (__of__ stands for a dot); which of them fail, once
    each."""
    def part(function):
        PARTS.append((function, {name.replace("__of__", "."): n for name, n in names.items()}, failing))
        return function
    return part


class Plain:
    def __init__(self):
        self.a = 1


class Sets:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Parent(list):
    def __init__(self):
        super().__init__((1,))


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    def __init__(self):
        pass


@contextlib.contextmanager
def managed():
    yield 1


@functools.lru_cache(None)
def cached(x):
    return x


SETS, CRC, ITEMS = Sets(), zlib.crc32, list(range(10))


@calls(abs=1, divmod=1, isinstance=1, len=1, math__of__hypot=1, math__of__floor=1, zlib__of__crc32=1,
       sys__of__getrecursionlimit=1, sorted=1, compile=1, getattr=1, vars=1)
def flags_of_all_kinds():
    abs(-1)                         # METH_O
    divmod(7, 2)                    # METH_FASTCALL
    isinstance(1, int)              # an opcode of its own
    len(ITEMS)
    math.hypot(3, 4)                # METH_FASTCALL
    math.floor(2.5)
    CRC(b"abc")
    sys.getrecursionlimit()         # METH_NOARGS
    sorted(ITEMS, reverse=True)     # METH_FASTCALL | METH_KEYWORDS
    compile("1", "x", "eval")       # many keywords
    getattr(SETS, "a", 1)
    vars(SETS)                      # METH_VARARGS


@calls(list__of__append=1, list__of__extend=1, list__of__pop=1, list__of__reverse=1, dict__of__get=1,
       dict__of__update=1, str__of__split=1, str__of__format=1, str__of__startswith=1, dict=1)   # dict.fromkeys makes one
def methods():
    mine, table, text = [], {}, "a,b"
    mine.append(1)                  # METH_O, an opcode of its own
    mine.extend((2, 3))             # METH_O
    mine.pop()                      # METH_FASTCALL
    mine.reverse()                  # METH_NOARGS
    table.get("x", 2)
    table.update(y=1)               # METH_VARARGS | METH_KEYWORDS
    text.split(",")                 # METH_FASTCALL | METH_KEYWORDS
    text.format(1)                  # METH_VARARGS
    text.startswith("a")
    dict.fromkeys("ab")             # a class method


@calls(divmod=1, math__of__hypot=1, str__of__format=1, dict__of__update=1)
def bound_and_unpacked():
    arguments = (5, 2)
    divmod(*arguments)
    math.hypot(*arguments, **{})
    "{}".format(*arguments)
    update = {}.update              # METH_VARARGS: bound, lives for a moment
    update(a=1)


@calls(object__of____setattr__=1, list__of____init__=1, int__of____add__=1, int__of____sub__=1)
def slot_wrappers():
    SETS.a = 1                      # object.__setattr__ called by the class's own
    Parent()
    int.__add__(1, 2)
    (5).__sub__(3)


@calls(range=1, list=1, dict=1, float=1, int=1, set=1, frozenset=1, OrderedDict=1)
def classes():
    range(3), list((1,)), dict(a=1), float("1.5"), int("3"), set((1,)), frozenset((1,))
    collections.OrderedDict()
    threading.Lock()


@calls(WithMeta=1)
def classes_of_python():
    Plain(), WithMeta()


@calls(sorted=1, abs=6, list=1, map=1)
def called_by_c():
    sorted((3, 1, 2), key=abs)
    list(map(abs, (1, 2, 3)))


def nothing(x):
    abs(x)
    return x


@calls(list=1, map=1, sorted=1, abs=4)
def through_c_into_python():
    list(map(nothing, (1, 2)))
    sorted((2, 1), key=nothing)


@calls(math__of__sqrt=1, int__of____add__=1, list__of__index=1, int=1, divmod=1,
       failing=("math.sqrt", "int.__add__", "list.index", "int", "divmod"))
def failures():
    for what in ("math.sqrt(-1)", "int.__add__(1)", "[].index(7)", "int('x')", "divmod(1, 0)"):
        try:
            FAILING[what]()
        except (ValueError, TypeError, ZeroDivisionError):
            pass


FAILING = {"math.sqrt(-1)": lambda: math.sqrt(-1), "int.__add__(1)": lambda: int.__add__(), "[].index(7)": lambda: [].index(7),
           "int('x')": lambda: int("x"), "divmod(1, 0)": lambda: divmod(1, 0)}


def generator(n):
    for i in range(n):
        yield abs(i)


@calls(range=2, abs=5, next=4, math__of__floor=1, getattr=1)   # getattr and two of next: contextlib's
def generators():
    total = 0
    for x in generator(3):
        total += x
    it = generator(2)
    next(it), next(it)
    with managed() as m:
        math.floor(m)


@calls(abs=6, list=5, map=5)
def recursion(n=5):
    abs(n)
    if n:
        list(map(recursion, (n - 1,)))


@calls(_lru_cache_wrapper=1)
def cached_function():
    cached(1)


def all_of_it():
    for function, _, _ in PARTS:
        function()


def measured():
    for _ in range(TURNS):
        all_of_it()


def on_a_thread():
    trigger()
    for _ in range(10):
        all_of_it()
    measured()


def warm_up():
    """Everything is learned, checked, and specialised where the interpreter does so."""
    measured()
    for _ in range(200):
        all_of_it()


trigger()
warm_up()
measured()
trigger()
thread = threading.Thread(target=on_a_thread)
thread.start()
thread.join()
counts, failed = collections.Counter(), collections.Counter()
for _, names, failing in PARTS:
    for name, n in names.items():
        counts[name] += n * TURNS * THREADS
    for name in failing:
        failed[name] += TURNS * THREADS
counts["range"] += THREADS       # measured() itself
extra.update(counts=counts, failed=failed)
tell()
