# SPDX-License-Identifier: Apache-2.0
"""Plain and nested calls, keyword arguments, closures, lambdas, calls through C (map, sorted, functools)."""
import functools
from truth import note, seen, tell, trigger


def leaf(x=0, *rest, key=None):
    seen()
    note(); trigger()
    return x


def middle(n):
    seen()
    for i in range(n):
        leaf(i)
        leaf(i, i, key=i)
    note(); trigger()
    return n


def through_c():
    seen()
    total = sum(map(leaf, range(3)))
    total += functools.reduce(lambda a, b: a + leaf(b), range(3))
    sorted([3, 1, 2], key=lambda v: (note(), trigger())[1])
    note(); trigger()
    return total


def closure(depth):
    seen()

    def inner(n):
        seen()
        note(); trigger()
        return n and inner(n - 1)
    return inner(depth)


def long_function(x):
    seen()
    x = leaf(
        x,
        key=1
    )
    if x > 100:
        leaf(x)
    else:
        x = 1; note(); trigger()
    return x


note(); trigger()
for turn in range(20):
    middle(3)
    through_c()
    closure(4)
    long_function(turn)
    note(); trigger()
tell()
