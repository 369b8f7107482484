# SPDX-License-Identifier: Apache-2.0
"""How deep recursion goes: plain, through C, with the default limit and a high one. Prints results only (they must be what they are
without us). The argument: the high limit."""
import sys
from truth import trigger


def plain(n):
    return plain(n - 1) + 1 if n else 0


def depth_reached(f):
    best = 0

    def count(n):
        nonlocal best
        best = n
        f(count, n + 1)
    try:
        count(0)
    except RecursionError:
        pass
    return best


class Shy:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return repr(Shy(self.n - 1)) + "." if self.n else "!"


def nested(n):
    x = []
    for i in range(n):
        x = [x]
    return len(repr(x))


def attempt(f, *arguments):
    try:
        return f(*arguments)
    except RecursionError:
        return "RecursionError"


trigger()
print("default limit", depth_reached(lambda g, n: g(n)), depth_reached(lambda g, n: list(map(g, [n]))) > 50)
print("plain", attempt(plain, sys.getrecursionlimit() - 20), attempt(plain, sys.getrecursionlimit() + 20))
print("repr", attempt(lambda: len(repr(Shy(100)))), attempt(nested, 200))
high = int(sys.argv[1])
sys.setrecursionlimit(high + 100)
for turn in range(3):
    print("high", attempt(plain, high))
print("again", attempt(plain, 100))
trigger()
